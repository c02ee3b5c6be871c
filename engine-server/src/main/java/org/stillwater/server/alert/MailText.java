package org.stillwater.server.alert;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * An e-mail about notices, in plain text. Labels and annotations come from users and guests, so
 * each is one line of bounded length, indented below the line that the engine wrote.
 *
 * @param subject one line
 * @param body lines that end with a line feed
 */
record MailText(String subject, String body) {

    private static final int LONGEST_SUBJECT = 150;
    private static final int NAMED_RULES = 3;
    private static final int MOST_LABELS = 50;

    /** Labels and annotations that the first lines of a notice have already. */
    private static final Set<String> SHOWN =
            Set.of("alertname", "severity", "kind", "object", "level", "summary", "ending");

    /**
     * The e-mail.
     *
     * @param engine URL of the engine for links; empty for none
     * @param listed notices that are described; further ones are counted
     */
    static MailText of(List<Notice> notices, String engine, int listed) {
        return new MailText(subject(notices), body(notices, engine, listed));
    }

    private static boolean isFiring(Notice notice) {
        return notice.end() == null;
    }

    private static String subject(List<Notice> notices) {
        String text;
        if (notices.size() == 1) {
            Notice only = notices.getFirst();
            text =
                    (isFiring(only) ? "[FIRING] " : "[RESOLVED] ")
                            + only.name()
                            + ": "
                            + only.labels().getOrDefault("object", "");
        } else {
            long firing = notices.stream().filter(MailText::isFiring).count();
            long resolved = notices.size() - firing;
            Set<String> names = new LinkedHashSet<>();
            notices.forEach(each -> names.add(each.name()));
            text =
                    "["
                            + (firing > 0 ? "FIRING " + firing : "")
                            + (firing > 0 && resolved > 0 ? ", " : "")
                            + (resolved > 0 ? "RESOLVED " + resolved : "")
                            + "] "
                            + String.join(", ", names.stream().limit(NAMED_RULES).toList())
                            + (names.size() > NAMED_RULES
                                    ? " and %d more".formatted(names.size() - NAMED_RULES)
                                    : "");
        }
        return CleanText.line(text, LONGEST_SUBJECT);
    }

    private static String body(List<Notice> notices, String engine, int listed) {
        StringBuilder body = new StringBuilder();
        notices.stream().limit(listed).forEach(each -> describe(body, each, engine));
        if (notices.size() > listed) {
            body.append(notices.size() - listed)
                    .append(" more alerts began or ended: GET ")
                    .append(engine)
                    .append("/api/v1/alerts\n\n");
        }
        return body.append("-- \nStillwater")
                .append(engine.isEmpty() ? "" : ", " + engine)
                .append('\n')
                .toString();
    }

    private static void describe(StringBuilder body, Notice notice, String engine) {
        Map<String, String> labels = notice.labels();
        body.append(isFiring(notice) ? "FIRING   " : "RESOLVED ")
                .append(CleanText.line(notice.name()))
                .append(" (")
                .append(CleanText.line(labels.getOrDefault("severity", "")))
                .append("): ")
                .append(
                        CleanText.line(
                                labels.getOrDefault("kind", "")
                                        + " "
                                        + labels.getOrDefault("object", "")))
                .append('\n');
        line(body, "summary", notice.annotations().getOrDefault("summary", ""));
        line(body, "since", notice.begin());
        String end = notice.end();
        if (end != null) {
            line(body, "until", end);
            line(body, "ending", notice.annotations().getOrDefault("ending", ""));
        }
        Map<String, String> rest = new TreeMap<>(notice.annotations());
        rest.putAll(labels);
        rest.keySet().removeAll(SHOWN);
        rest.entrySet().stream()
                .limit(MOST_LABELS)
                .forEach(each -> line(body, each.getKey(), each.getValue()));
        if (!engine.isEmpty()) {
            line(body, "link", engine + notice.path());
        }
        body.append('\n');
    }

    private static void line(StringBuilder body, String name, String value) {
        if (!value.isBlank()) {
            body.append("  ")
                    .append(CleanText.line(name, 100))
                    .append(": ")
                    .append(CleanText.line(value))
                    .append('\n');
        }
    }
}
