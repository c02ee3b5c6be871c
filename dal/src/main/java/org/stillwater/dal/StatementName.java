package org.stillwater.dal;

import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Name of a statement in profiles: the class and method that send it, and its verb and table. It
 * contains neither parameters nor literals.
 *
 * @param name such as {@code JdbcVmStore.writeRuntimes}
 * @param statement such as {@code UPDATE vm_runtime_light}
 */
record StatementName(String name, String statement) {

    /** Number of texts with a kept name: some texts are composed, by the set of changed columns. */
    private static final int MOST_KEPT = 2_000;

    private static final Map<String, StatementName> KEPT = new ConcurrentHashMap<>();

    private static final StackWalker STACK = StackWalker.getInstance();
    private static final String PACKAGE = StatementName.class.getPackageName() + ".";

    /** Classes through which statements of all stores pass. */
    private static final Set<String> SHARED =
            Set.of(
                    "StatementName",
                    "CountingDataSource",
                    "Transactions",
                    "Sql",
                    "Column",
                    "ColumnUpdate",
                    "RowCopy",
                    "BinaryCopy");

    private static final Pattern TABLE =
            Pattern.compile(
                    "\\b(?:FROM|INTO|UPDATE|COPY|JOIN|TABLE)\\s+(?:ONLY\\s+)?(?!unnest\\b)([a-z_][a-z0-9_.]*)",
                    Pattern.CASE_INSENSITIVE);

    /** The name of a text, found by the caller's stack when the text is new. */
    static StatementName of(String sql) {
        StatementName known = KEPT.get(sql);
        if (known != null) {
            return known;
        }
        String statement = verbAndTable(sql);
        StatementName found = new StatementName(sender(statement), statement);
        if (KEPT.size() < MOST_KEPT) {
            KEPT.put(sql, found);
        }
        return found;
    }

    private static String sender(String otherwise) {
        return STACK.walk(frames ->
                frames.filter(frame -> isSender(frame.getClassName()))
                        .findFirst()
                        .map(frame ->
                                simple(frame.getClassName()) + "." + method(frame.getMethodName()))
                        .orElse(otherwise));
    }

    private static boolean isSender(String type) {
        return type.startsWith(PACKAGE)
                && type.indexOf('.', PACKAGE.length()) < 0
                && !SHARED.contains(simple(type));
    }

    private static String simple(String type) {
        String name = type.substring(type.lastIndexOf('.') + 1);
        int nested = name.indexOf('$');
        return nested < 0 ? name : name.substring(0, nested);
    }

    /** A lambda is called by the method that it is written in. */
    static String method(String name) {
        if (!name.startsWith("lambda$")) {
            return name;
        }
        int end = name.lastIndexOf('$');
        return name.substring("lambda$".length(), Math.max(end, "lambda$".length()));
    }

    /** The first word and the first table that is named. */
    static String verbAndTable(String sql) {
        String text = sql.strip();
        int end = 0;
        while (end < text.length() && Character.isLetter(text.charAt(end))) {
            end++;
        }
        String verb = text.substring(0, end).toUpperCase(Locale.ROOT);
        Matcher table = TABLE.matcher(text);
        return table.find() ? verb + " " + table.group(1) : verb;
    }
}
