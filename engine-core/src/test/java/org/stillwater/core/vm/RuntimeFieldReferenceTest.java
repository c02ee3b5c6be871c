package org.stillwater.core.vm;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.stillwater.core.report.ReportedText;

/**
 * The reference page is the table, rendered. Run with {@code -Dstillwater.docs.update=true} to
 * write it.
 */
class RuntimeFieldReferenceTest {

    private static final Path PAGE = Path.of("..", "docs", "reference", "runtime-fields.md");

    private static final String HEAD =
            """
            # Runtime fields

            What the engine takes from a host's report about a VM and keeps: one row per field of `RuntimeField`, the table that drives
            decoding, comparing, writing and this page. Numbers that change every cycle (CPU, memory, network, disks) are statistics, not
            runtime, and are not written by the cycle.

            *Limit* is how many characters (UTF-16 code units) of a text are kept, of a list all of its text together. A longer text is
            cut and ends in `…`; of a list or JSON document whole entries are left out, and a last entry `…` or `{"cut":true}` says so.
            Control characters and line separators become a space; bidirectional and zero-width characters are dropped (ADR 0034).

            *Absent in a poll* says what a poll without the field means; an event without it always leaves it unchanged.
            *Forgotten* says when the engine resets the field to its default by itself.

            | Field | Wire | Unit | Column of `vm_dynamic` | Type | Limit | Default | Absent in a poll | Forgotten |
            |---|---|---|---|---|---|---|---|---|
            """;

    private static final String REST =
            """

            ## Limits of other texts

            Texts and lists that are no field of their own, here or on the page of host fields. For a list of texts, characters of one
            of them.

            | Wire | Limit |
            |---|---|
            """;

    private static String render() {
        StringBuilder page = new StringBuilder(HEAD);
        for (RuntimeField field : RuntimeField.values()) {
            page.append(
                    "| `%s` | %s | %s | `%s` | %s | %s | %s | %s | %s |\n"
                            .formatted(
                                    field,
                                    field.wire() == null ? "derived" : "`" + field.wire() + "`",
                                    field.unit(),
                                    field.column(),
                                    field.type().sqlType().sqlName(),
                                    field.limit() == null ? "" : field.limit(),
                                    shown(field.defaultValue()),
                                    field.absence() == RuntimeField.Absence.KEEPS
                                            ? "unchanged"
                                            : "default",
                                    switch (field.reset()) {
                                        case NEVER -> "never";
                                        case WHEN_NOT_RUNNING -> "when not running";
                                        case WHEN_NOT_RUNNING_OR_UNKNOWN ->
                                                "when not running or unknown";
                                    }));
        }
        page.append(REST);
        for (ReportedText text : ReportedText.values()) {
            page.append("| `%s` | %s |\n".formatted(text.wire(), text.limit()));
        }
        return page.toString();
    }

    private static String shown(@Nullable Object value) {
        if (value == null) {
            return "–";
        }
        return value instanceof GuestNics ? "none" : value.toString();
    }

    @Test
    void everyTextHasALimitAndNothingElseHas() {
        for (RuntimeField field : RuntimeField.values()) {
            boolean text = field.type() == FieldType.TEXT || field.type() == FieldType.GUEST_NICS;
            assertThat(field.limit() != null).as(field.name()).isEqualTo(text);
        }
    }

    @Test
    void theReferencePageIsTheTable() throws IOException {
        if (Boolean.getBoolean("stillwater.docs.update")) {
            Files.writeString(PAGE, render());
        }
        assertThat(PAGE).as("run with -Dstillwater.docs.update=true").hasContent(render());
    }
}
