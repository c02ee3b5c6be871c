package org.stillwater.benchmarks.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Every wrong account must be found: a checker that finds nothing proves nothing. */
class CheckerTest {

    private static final String VM = "vm-1";
    private static final Facts TRUTH = facts("up", "host-1", "10.0.0.1", "up");

    private static Facts facts(String status, String host, String address, String hostStatus) {
        Map<String, String> values = new HashMap<>();
        values.put("guestIps", address);
        values.put("clientIp", null);
        return new Facts(
                Map.of(VM, new Facts.Vm(status, host, values)),
                Map.of("host-1", hostStatus),
                Set.of());
    }

    private static Facts working(String... keys) {
        return new Facts(TRUTH.vms(), TRUTH.hosts(), Set.of(keys));
    }

    @Test
    void threeEqualAccountsAgree() {
        assertThat(Checker.differences(TRUTH, TRUTH, TRUTH)).isEmpty();
    }

    @Test
    void valuesUnknownToOneSideAreNotCompared() {
        Facts brief =
                new Facts(
                        Map.of(VM, new Facts.Vm("up", "host-1", Map.of())),
                        TRUTH.hosts(),
                        Set.of());
        assertThat(Checker.differences(brief, TRUTH, TRUTH)).isEmpty();
    }

    @Test
    void aVmInAnotherStatusIsFound() {
        Facts wrong = facts("down", "host-1", "10.0.0.1", "up");
        assertThat(Checker.differences(TRUTH, wrong, wrong))
                .containsExactly("vm vm-1 status: hosts says up, engine says down");
        assertThat(Checker.differences(TRUTH, TRUTH, wrong))
                .containsExactly("vm vm-1 status: engine says up, database says down");
    }

    @Test
    void aVmOnAnotherHostIsFound() {
        Facts nowhere = facts("up", null, "10.0.0.1", "up");
        assertThat(Checker.differences(TRUTH, nowhere, nowhere))
                .containsExactly("vm vm-1 host: hosts says host-1, engine says null");
    }

    @Test
    void aColumnThatWasNotWrittenIsFound() {
        Facts stale = facts("up", "host-1", "10.0.0.2", "up");
        assertThat(Checker.differences(TRUTH, TRUTH, stale))
                .containsExactly("vm vm-1 guestIps: engine says 10.0.0.1, database says 10.0.0.2");
        Facts forgotten = facts("up", "host-1", null, "up");
        assertThat(Checker.differences(TRUTH, TRUTH, forgotten)).hasSize(1);
    }

    @Test
    void aVmUnknownToOneSideIsFound() {
        Facts none = new Facts(Map.of(), TRUTH.hosts(), Set.of());
        assertThat(Checker.differences(TRUTH, none, none))
                .containsExactly("vm vm-1: unknown to the engine");
        assertThat(Checker.differences(TRUTH, TRUTH, none))
                .containsExactly("vm vm-1: unknown to the database");
        assertThat(Checker.differences(none, TRUTH, TRUTH))
                .containsExactly("vm vm-1: unknown to the hosts");
    }

    @Test
    void aHostInAnotherStatusIsFound() {
        Facts silent = facts("up", "host-1", "10.0.0.1", "non_responsive");
        assertThat(Checker.differences(TRUTH, silent, silent))
                .containsExactly("host host-1: hosts says up, engine says non_responsive");
    }

    @Test
    void workThatOnlyOneOfThemHasIsFound() {
        assertThat(Checker.differences(TRUTH, working("a 1 1"), working("a 1 1"))).isEmpty();
        assertThat(Checker.differences(TRUTH, working("a 1 1"), working()))
                .containsExactly("work a 1 1 is shown by the engine and not in the database");
        assertThat(Checker.differences(TRUTH, working(), working("a 1 1")))
                .containsExactly("work a 1 1 is in the database and not shown by the engine");
    }

    @Test
    void aLostIntentAndOneOpenedTwiceAreFound() {
        assertThat(Checker.intents(Map.of(VM, 2), Map.of(VM, 2))).isEmpty();
        assertThat(Checker.intents(Map.of(VM, 2), Map.of(VM, 1)))
                .singleElement()
                .asString()
                .contains("an intent is lost");
        assertThat(Checker.intents(Map.of(VM, 1), Map.of()))
                .singleElement()
                .asString()
                .contains("an intent is lost");
        assertThat(Checker.intents(Map.of(), Map.of(VM, 1)))
                .singleElement()
                .asString()
                .contains("an intent was opened twice");
    }

    @Test
    void aFailureReportedTwiceIsFoundAndAnUnreportedOneIsCounted() {
        assertThat(Checker.toldTwice(Map.of(VM, 1), Map.of(VM, 1))).isEmpty();
        assertThat(Checker.toldTwice(Map.of(VM, 1), Map.of(VM, 2))).hasSize(1);
        assertThat(Checker.toldTwice(Map.of(), Map.of(VM, 1))).hasSize(1);
        assertThat(Checker.toldTwice(Map.of(VM, 2), Map.of(VM, 1))).isEmpty();
        assertThat(Checker.untold(Map.of(VM, 3), Map.of(VM, 1))).isEqualTo(2);
        assertThat(Checker.untold(Map.of(VM, 1), Map.of(VM, 1, "vm-2", 4))).isZero();
    }

    @Test
    void onlyTheFirstFindingsAreShown() {
        List<String> many = java.util.Collections.nCopies(20, "wrong");
        assertThat(Checker.shown(many).lines()).hasSize(13).last().isEqualTo("  and 8 more");
        assertThat(Checker.shown(List.of("wrong"))).isEqualTo("wrong");
    }
}
