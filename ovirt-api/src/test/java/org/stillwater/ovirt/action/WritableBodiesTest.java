package org.stillwater.ovirt.action;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Bodies other than VMs: their tables hold, and nothing else is taken. */
class WritableBodiesTest {

    @TestFactory
    List<DynamicTest> elementsAreTreatedAsTheirTableSays() {
        return WritableBodies.all().stream()
                .filter(table -> table != WritableBodies.VM)
                .flatMap(table ->
                        table.elements().entrySet().stream()
                                .map(each ->
                                        DynamicTest.dynamicTest(
                                                table.subject() + " " + each.getKey(),
                                                () -> holds(table, each))))
                .toList();
    }

    private static void holds(BodyRules table, Map.Entry<String, ElementRule> element) {
        String path = element.getKey();
        switch (element.getValue()) {
            case ElementRule.Kept kept ->
                    taken(
                            table,
                            path
                                    + switch (kept.form()) {
                                        case VALUE, LIST -> "";
                                        case REFERENCE, ENTITY -> "/id";
                                    },
                            "any");
            case ElementRule.Fixed(List<String> values, String _) -> {
                taken(table, path, values.getFirst());
                refused(table, path, "other", 400);
            }
            case ElementRule.Unsupported _ -> refused(table, path, "any", 400);
            case ElementRule.Ignored _ -> taken(table, path, "any");
        }
    }

    private static void taken(BodyRules table, String path, String value) {
        for (String body : List.of(json(path, value), xml(table.root(), path, value))) {
            assertThatCode(() -> Written.check(table, body)).as(body).doesNotThrowAnyException();
        }
    }

    private static void refused(BodyRules table, String path, String value, int status) {
        for (String body : List.of(json(path, value), xml(table.root(), path, value))) {
            assertThatThrownBy(() -> Written.check(table, body))
                    .as(body)
                    .isInstanceOfSatisfying(
                            Refused.class,
                            refused -> {
                                assertThat(refused.status()).isEqualTo(status);
                                assertThat(refused.detail()).contains(path);
                            });
        }
    }

    private static String json(String path, String value) {
        String body = '"' + value + '"';
        for (String name : List.of(path.split("/", -1)).reversed()) {
            body = "{\"" + name + "\":" + body + '}';
        }
        return body;
    }

    private static String xml(String root, String path, String value) {
        String body = value;
        for (String name : List.of(path.split("/", -1)).reversed()) {
            body = '<' + name + '>' + body + "</" + name + '>';
        }
        return '<' + root + '>' + body + "</" + root + '>';
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "start of a VM   | colour                  | 400",
                "start of a VM   | use_cloud_init          | 400",
                "start of a VM   | authorized_key          | 400",
                "start of a VM   | grace_period            | 400",
                "stop of a VM    | fence_type              | 400",
                "migrate of a VM | host                    | 400",
                "ticket of a VM  | ticket/colour           | 400",
                "fence of a host | reason                  | 400",
                "event           | vm/name                 | 400",
                "VM pool         | memory                  | 400"
            })
    void unknownParametersAreRefused(String subject, String path, int status) {
        refused(Written.table(subject), path, "true", status);
    }

    @ParameterizedTest
    @CsvSource({
        "disk_attachments,  diskattachments",
        "cdroms,            cdroms",
        "watchdogs,         watchdogs",
        "graphics_consoles, graphicsconsoles",
        "tags,              tags"
    })
    void anElementOfAVmWithACollectionOfItsOwnNamesTheCollection(String element, String path) {
        assertThatThrownBy(() -> Written.check(Written.table("VM"), json(element + "/x", "any")))
                .hasMessageContaining("/vms/{id}/" + path);
    }

    @Test
    void everythingThatCannotBeKeptIsNamed() {
        assertThatThrownBy(() ->
                        WatchdogChanges.RULES.read(
                                Bodies.of(
                                        "{\"action\":\"reset\",\"model\":\"diag288\",\"comment\":\"mine\"}"),
                                "add watchdog"))
                .hasMessage(
                        "[Cannot add watchdog: model cannot be diag288: a watchdog is an i6300esb."
                            + " comment cannot be kept: the engine does not store this member of a"
                            + " watchdog.]");
    }

    @Test
    void everySubjectIsThereOnce() {
        assertThat(WritableBodies.all())
                .extracting(BodyRules::subject)
                .doesNotHaveDuplicates()
                .hasSizeGreaterThan(25);
        assertThat(WritableBodies.action("vms", "clone")).isNull();
    }
}
