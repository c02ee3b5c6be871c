package org.stillwater.server.stall;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Stacks for an audit event, as one line of bounded length. Stateless. */
final class StackText {

    private static final String ENGINE = "org.stillwater.";
    private static final String BEFORE = " < ";
    private static final String NEXT = " | ";

    private StackText() {}

    /** A frame without its loader and module. */
    private static String frame(String frame) {
        String text = frame.strip();
        text = text.startsWith("at ") ? text.substring(3) : text;
        int source = text.indexOf('(');
        int module = text.lastIndexOf('/', source < 0 ? text.length() : source);
        return module < 0 ? text : text.substring(module + 1);
    }

    /** Threads with whole innermost frames, as many of each as fit. */
    static String line(List<CarriedThread> threads, int mostCharacters) {
        int most = threads.isEmpty() ? 0 : mostCharacters / threads.size() - NEXT.length();
        return threads.stream()
                .map(thread -> thread(thread, most))
                .collect(Collectors.joining(NEXT));
    }

    private static String thread(CarriedThread thread, int mostCharacters) {
        StringBuilder line = new StringBuilder(thread.name());
        String between = ": ";
        for (String each : thread.stack()) {
            String next = between + frame(each);
            if (line.length() + next.length() > mostCharacters) {
                break;
            }
            line.append(next);
            between = BEFORE;
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

    /** For the log: a thread or a frame a line. */
    static String lines(List<CarriedThread> threads) {
        return threads.stream()
                .flatMap(thread ->
                        Stream.concat(
                                Stream.of(thread.name()),
                                thread.stack().stream().map(each -> "\tat " + frame(each))))
                .collect(Collectors.joining("\n"));
    }
}
