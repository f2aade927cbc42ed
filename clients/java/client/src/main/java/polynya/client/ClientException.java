package polynya.client;

/** What can go wrong between a bot and its server: one family, each message a sentence. */
public class ClientException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private static final int MOST_SHOWN = 500;

    ClientException(String message) {
        super(message);
    }

    ClientException(String message, Throwable cause) {
        super(message, cause);
    }

    /** The settings and the environment do not say where to connect, or as whom. */
    public static final class BadSettings extends ClientException {
        private static final long serialVersionUID = 1L;

        BadSettings(String message) {
            super(message);
        }
    }

    /** Bytes that are no frame of the protocol, or a message that would be none. */
    public static final class BadFrame extends ClientException {
        private static final long serialVersionUID = 1L;

        /** The protocol's word for it. */
        private final String code;

        BadFrame(String code, String message) {
            super(message);
            this.code = code;
        }

        /** {@return the protocol's word for it, {@code malformed} or {@code too_large}} */
        public String code() {
            return code;
        }
    }

    /** The server sent a message that lacks a key or has another type there: not our protocol. */
    public static final class BadMessage extends ClientException {
        private static final long serialVersionUID = 1L;

        BadMessage(String message) {
            super(message);
        }
    }

    /** The connection could not be made, broke, or was silent for three heartbeats. */
    public static class ConnectionLost extends ClientException {
        private static final long serialVersionUID = 1L;

        ConnectionLost(String message) {
            super(message);
        }

        ConnectionLost(String message, Throwable cause) {
            super(message + ": " + printable(String.valueOf(cause.getMessage())), cause);
        }
    }

    /** The server has said goodbye, and not that it is for good: a bot comes back later. */
    public static final class ServerLeft extends ConnectionLost {
        private static final long serialVersionUID = 1L;

        ServerLeft(String message) {
            super(message);
        }
    }

    /** The server was not there, or had no room, for as long as the bot was to try. */
    public static final class GaveUp extends ConnectionLost {
        private static final long serialVersionUID = 1L;

        GaveUp(String message) {
            super(message);
        }
    }

    /** Another process plays as this bot now: one that came back would throw it out in turn. */
    public static final class Replaced extends ClientException {
        private static final long serialVersionUID = 1L;

        Replaced(String message) {
            super(message);
        }
    }

    /** The server refused something and closed the connection. */
    public static final class ServerError extends ClientException {
        private static final long serialVersionUID = 1L;

        /** The protocol's word for it. */
        private final String code;

        ServerError(String code, String message) {
            super(code + ": " + message);
            this.code = code;
        }

        /** {@return the protocol's word for it, such as {@code unauthorized}} */
        public String code() {
            return code;
        }
    }

    /**
     * {@link Turn#legalAfter} has no answer: the turn is not asked for any more, or a step is
     * illegal. A bot that lets it pass sends no move for this turn.
     */
    public static final class TurnLost extends ClientException {
        private static final long serialVersionUID = 1L;

        TurnLost(String message) {
            super(message);
        }
    }

    /** The bot gave no steps as its turn. */
    public static final class BadTurn extends ClientException {
        private static final long serialVersionUID = 1L;

        BadTurn(String message) {
            super(message);
        }
    }

    /** The bot looks at something that it did not ask the server for. */
    public static final class NotWanted extends ClientException {
        private static final long serialVersionUID = 1L;

        NotWanted(String message) {
            super(message);
        }
    }

    /** A peer's text for a terminal: what is not printable becomes its number. */
    static String printable(String text) {
        StringBuilder shown = new StringBuilder();
        text.codePoints().limit(MOST_SHOWN).forEach(point -> {
            switch (Character.getType(point)) {
                case Character.CONTROL, Character.FORMAT, Character.SURROGATE, Character.UNASSIGNED,
                        Character.PRIVATE_USE, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR ->
                    shown.append(String.format("\\u{%x}", point));
                default -> shown.appendCodePoint(point);
            }
        });
        return shown.toString();
    }
}
