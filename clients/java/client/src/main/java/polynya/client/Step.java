package polynya.client;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import polynya.client.ClientException.BadMessage;

/**
 * A step: a verb and its arguments, {@code Step.of("move", 12, 40)}.
 *
 * @param words the verb, then the arguments: integers and strings
 */
public record Step(List<?> words) {

    /**
     * A step of these words.
     *
     * @param verb what is done
     * @param arguments integers and strings
     * @return a step of these words
     */
    public static Step of(String verb, Object... arguments) {
        List<Object> words = new ArrayList<>(arguments.length + 1);
        words.add(verb);
        Collections.addAll(words, arguments);
        return new Step(Collections.unmodifiableList(words));
    }

    static Step read(List<?> words) {
        if (words.isEmpty() || !(words.get(0) instanceof String)) {
            throw new BadMessage("a step of the server does not begin with a verb");
        }
        return new Step(words);
    }

    /** {@return what is done} */
    public String verb() {
        return (String) words.get(0);
    }

    /**
     * An argument that is an integer, counted from 1, after the verb.
     *
     * @param index of the argument, from 1
     * @return an argument that is an integer, counted from 1, after the verb
     */
    public int number(int index) {
        return ((Number) words.get(index)).intValue();
    }

    /** {@return all arguments, which are integers} */
    public int[] numbers() {
        return IntStream.range(1, words.size()).map(this::number).toArray();
    }
}
