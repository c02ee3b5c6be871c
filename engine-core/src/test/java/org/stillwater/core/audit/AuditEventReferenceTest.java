package org.stillwater.core.audit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Comparator;
import org.junit.jupiter.api.Test;

/**
 * The reference page is the table, rendered. Run with {@code -Dstillwater.docs.update=true} to
 * write it.
 */
class AuditEventReferenceTest {

    private static final Path PAGE = Path.of("..", "docs", "reference", "audit-events.md");

    private static final String HEAD =
            """
            # Audit events

            Monitoring records each event once; each row is a constant of `AuditEvent`. Numbers below %d are those of oVirt; the others
            are this engine's own. In a text, `${vm}` and `${host}` are names; other values are the entry's `details`. *Repeats* gives
            the time for which the engine suppresses further entries about the same VM and host.

            [`GET /api/v1/events`](rest.md#events) lists the entries, [the stream](rest.md#the-stream) sends them as `audit`, and the table
            [`audit_log`](schema.md#audit_log) stores them. Severities there: normal 0, warning 1, error 2, alert 10.

            | Number | Event | Severity | Text | Repeats |
            |---|---|---|---|---|
            """
                    .formatted(AuditEvent.OWN_CODES);

    private static String render() {
        StringBuilder page = new StringBuilder(HEAD);
        Arrays.stream(AuditEvent.values())
                .sorted(Comparator.comparingInt(AuditEvent::code))
                .forEach(event ->
                        page.append(
                                "| %d | `%s` | %s | %s | %s |\n"
                                        .formatted(
                                                event.code(),
                                                event,
                                                event.severity().label(),
                                                event.template(),
                                                repeats(event.flood()))));
        return page.toString();
    }

    private static String repeats(Duration flood) {
        if (flood.isZero()) {
            return "recorded";
        }
        return "suppressed for "
                + (flood.toSeconds() % 60 == 0
                        ? flood.toMinutes() + " min"
                        : flood.toSeconds() + " s");
    }

    @Test
    void theReferencePageIsTheTable() throws IOException {
        if (Boolean.getBoolean("stillwater.docs.update")) {
            Files.writeString(PAGE, render());
        }
        assertThat(PAGE).as("run with -Dstillwater.docs.update=true").hasContent(render());
    }
}
