package polynya.client;

import java.util.List;

/**
 * What may follow the first steps of a turn.
 *
 * @param steps the legal steps
 * @param turnOver whether the turn is over: then there are none
 */
public record Legal(List<Step> steps, boolean turnOver) {
    static Legal read(Fields message) {
        return new Legal(message.steps("legal"), message.flag("turn_over"));
    }
}
