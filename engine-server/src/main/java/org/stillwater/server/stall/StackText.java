package org.stillwater.server.stall;

import java.util.List;
import java.util.stream.Collectors;

/** Stacks as people read them in an audit event, which is one line of bounded length. Stateless. */
final class StackText {

    private static final String ENGINE = "org.stillwater.";
    private static final String BEFORE = " < ";

    private StackText() {}

    /** A frame without its loader and module. */
    private static String frame(String frame) {
        String text = frame.strip();
        text = text.startsWith("at ") ? text.substring(3) : text;
        int source = text.indexOf('(');
        int module = text.lastIndexOf('/', source < 0 ? text.length() : source);
        return module < 0 ? text : text.substring(module + 1);
    }

    /** Whole innermost frames, as many as fit. */
    static String line(List<String> stack, int mostCharacters) {
        StringBuilder line = new StringBuilder();
        for (String each : stack) {
            String next = (line.isEmpty() ? "" : BEFORE) + frame(each);
            if (line.length() + next.length() > mostCharacters) {
                break;
            }
            line.append(next);
        }
        return line.toString();
    }

    /** Method of the innermost frame of the engine, else of the innermost frame. */
    static String place(List<String> stack) {
        if (stack.isEmpty()) {
            return "an unknown place";
        }
        String place =
                stack.stream()
                        .map(StackText::frame)
                        .filter(frame -> frame.startsWith(ENGINE))
                        .findFirst()
                        .orElseGet(() -> frame(stack.getFirst()));
        int source = place.indexOf('(');
        return source < 0 ? place : place.substring(0, source);
    }

    /** For the log: a frame a line. */
    static String lines(List<String> stack) {
        return stack.stream().map(each -> "\tat " + frame(each)).collect(Collectors.joining("\n"));
    }
}
