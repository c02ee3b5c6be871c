package org.stillwater.server.alert;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class MailTextTest {

    private static final String BEGIN = "2026-11-20T03:10:00Z";
    private static final String END = "2026-11-20T04:00:00Z";

    static Notice notice(int number, String rule, String object, String end) {
        return new Notice(
                new UUID(7, number),
                rule,
                Map.of(
                        "alertname", rule,
                        "severity", "critical",
                        "kind", "vm",
                        "object", object,
                        "team", "web"),
                Map.of("summary", "It is busy", "ending", end == null ? "" : "condition"),
                BEGIN,
                BEGIN,
                end,
                "/api/v1/alerts/" + new UUID(7, number));
    }

    @Test
    void oneAlertIsNamedInTheSubject() {
        MailText text =
                MailText.of(
                        List.of(notice(1, "BusyVm", "web-1", null)), "https://engine.example", 50);
        assertThat(text.subject()).isEqualTo("[FIRING] BusyVm: web-1");
        assertThat(text.body())
                .isEqualTo(
                        """
                        FIRING   BusyVm (critical): vm web-1
                          summary: It is busy
                          since: 2026-11-20T03:10:00Z
                          team: web
                          link: https://engine.example/api/v1/alerts/00000000-0000-0007-0000-000000000001

                        --\s
                        Stillwater, https://engine.example
                        """);
    }

    @Test
    void theEndHasItsTimeAndReason() {
        MailText text = MailText.of(List.of(notice(1, "BusyVm", "web-1", END)), "", 50);
        assertThat(text.subject()).isEqualTo("[RESOLVED] BusyVm: web-1");
        assertThat(text.body())
                .startsWith("RESOLVED BusyVm (critical): vm web-1\n")
                .contains("  until: 2026-11-20T04:00:00Z\n  ending: condition\n")
                .doesNotContain("link:");
    }

    @Test
    void manyAlertsAreCountedAndTheFirstAreDescribed() {
        List<Notice> many =
                IntStream.range(0, 70)
                        .mapToObj(
                                i -> notice(i, "Rule" + i % 5, "vm-" + i, i % 7 == 0 ? END : null))
                        .toList();
        MailText text = MailText.of(many, "", 50);
        assertThat(text.subject())
                .isEqualTo("[FIRING 60, RESOLVED 10] Rule0, Rule1, Rule2 and 2 more");
        assertThat(text.body())
                .contains("vm vm-49\n", "\n20 more alerts began or ended: ")
                .doesNotContain("vm-50");
    }

    @Test
    void hostileTextsStayOnTheirLine() {
        String hostile = "web\r\nBcc: eve@example.com\r\n\r\nRESOLVED all\u2028is\u202ewell\u0000";
        MailText text = MailText.of(List.of(notice(1, hostile, hostile, null)), "", 50);
        assertThat(text.subject())
                .isEqualTo(
                        "[FIRING] web  Bcc: eve@example.com    RESOLVED all is well : web  Bcc:"
                                + " eve@example.com    RESOLVED all is well");
        assertThat(text.body().lines().filter(line -> !line.startsWith(" ")))
                .containsExactly(
                        "FIRING   web  Bcc: eve@example.com    RESOLVED all is well (critical): vm"
                                + " web  Bcc: eve@example.com    RESOLVED all is well",
                        "",
                        "-- ",
                        "Stillwater");
    }

    @Test
    void longTextsAreCut() {
        assertThat(CleanText.line("x".repeat(1_000))).hasSize(500).endsWith("x…");
        assertThat(CleanText.line("x".repeat(500))).hasSize(500).endsWith("xx");
        assertThat(CleanText.line("😀".repeat(20), 10)).isEqualTo("😀".repeat(9) + "…");
        MailText text = MailText.of(List.of(notice(1, "A", "o".repeat(10_000), null)), "", 50);
        assertThat(text.subject()).hasSize(150);
    }
}
