package org.stillwater.ovirt.action;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * Parameters of requests that change something are honoured, ignored or refused, as the reference
 * says.
 */
class QueryRulesTest {

    @TestFactory
    List<DynamicTest> parametersAreTreatedAsTheirTableSays() {
        return QueryRules.ALL.stream()
                .flatMap(rules ->
                        rules.parameters().entrySet().stream()
                                .map(each ->
                                        DynamicTest.dynamicTest(
                                                "%s %s %s"
                                                        .formatted(
                                                                rules.method(),
                                                                rules.path(),
                                                                each.getKey()),
                                                () -> holds(rules, each))))
                .toList();
    }

    private static void holds(QueryRules rules, Map.Entry<String, ElementRule> parameter) {
        String name = parameter.getKey();
        switch (parameter.getValue()) {
            case ElementRule.Fixed fixed -> {
                boolean value = Boolean.parseBoolean(fixed.values().getFirst());
                taken(rules, name, Boolean.toString(value));
                taken(rules, name, value ? "" : "0");
                refused(() -> check(rules, name, value ? "false" : "1"), 501, name);
                refused(() -> check(rules, name, "perhaps"), 400, name);
            }
            case ElementRule.Unsupported _ -> refused(() -> check(rules, name, "true"), 501, name);
            case ElementRule.Kept _, ElementRule.Ignored _ -> {
                taken(rules, name, "true");
                taken(rules, name, "false");
            }
        }
    }

    private static void check(QueryRules rules, String name, String value) {
        List<String> path =
                List.of(rules.path().replace("{id}", new UUID(1, 2).toString()).split("/", -1));
        QueryRules.check(rules.method(), path, Map.of(name, value, "max", "7"));
    }

    private static void taken(QueryRules rules, String name, String value) {
        assertThatCode(() -> check(rules, name, value)).doesNotThrowAnyException();
    }

    private static void refused(ThrowingCallable call, int status, String name) {
        assertThatThrownBy(call)
                .hasMessageContaining(name)
                .isInstanceOfSatisfying(
                        Refused.class,
                        refused ->
                                org.assertj.core.api.Assertions.assertThat(refused.status())
                                        .isEqualTo(status));
    }

    @Test
    void parametersWithoutATableAreIgnored() {
        assertThatCode(() ->
                        QueryRules.check(
                                "POST", List.of("vms"), Map.of("colour", "red", "max", "x")))
                .doesNotThrowAnyException();
        assertThatCode(() -> QueryRules.check("POST", List.of("tags"), Map.of("activate", "false")))
                .doesNotThrowAnyException();
    }
}
