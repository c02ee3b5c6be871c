package org.stillwater.core.analysis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.stillwater.core.analysis.Scene.H1;
import static org.stillwater.core.analysis.Scene.H2;
import static org.stillwater.core.analysis.Scene.migrating;
import static org.stillwater.core.analysis.Scene.vm;

import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.stillwater.core.analysis.host.HostTransition;
import org.stillwater.core.vm.BeliefRule;
import org.stillwater.core.vm.ExitReason;
import org.stillwater.core.vm.ExitStatus;
import org.stillwater.core.vm.PauseStatus;
import org.stillwater.core.vm.VmCommands.InFlight;
import org.stillwater.core.vm.VmStatus;

/** The analysis names the rule that decided, with its scenario. */
@DisplayName("Rules of the analysis of VMs")
class VmRuleTest {

    private static Scene stops(Scene scene) {
        return scene.saysDown(H1, ExitStatus.NORMAL, ExitReason.USER_SHUTDOWN);
    }

    private static Scene fails(Scene scene) {
        return scene.saysDown(H1, ExitStatus.ERROR, ExitReason.GENERIC_ERROR);
    }

    private static Arguments rule(VmRule rule, int scenario, Supplier<Scene> scene) {
        return Arguments.of(rule, scenario, scene);
    }

    static Stream<Arguments> rules() {
        return Stream.of(
                rule(
                        VmRule.POWERING_UP,
                        3,
                        () -> vm(VmStatus.WAIT_FOR_LAUNCH).says(H1, VmStatus.POWERING_UP)),
                rule(VmRule.UP, 4, () -> vm(VmStatus.POWERING_UP).says(H1, VmStatus.UP)),
                rule(VmRule.PAUSED, 5, () -> vm(VmStatus.UP).saysPaused(H1, PauseStatus.EIO)),
                rule(
                        VmRule.RECOVERED,
                        8,
                        () -> Scene.paused(PauseStatus.EIO).says(H1, VmStatus.UP)),
                rule(
                        VmRule.POWER_DOWN_FAILED,
                        10,
                        () -> vm(VmStatus.POWERING_DOWN).says(H1, VmStatus.UP)),
                rule(
                        VmRule.NOT_RESPONDING,
                        11,
                        () -> vm(VmStatus.UP).says(H1, VmStatus.NOT_RESPONDING)),
                rule(
                        VmRule.REBOOTED,
                        13,
                        () -> vm(VmStatus.UP).says(H1, VmStatus.REBOOT_IN_PROGRESS)),
                rule(VmRule.STOPPED, 14, () -> stops(vm(VmStatus.UP))),
                rule(VmRule.FAILED, 15, () -> fails(vm(VmStatus.UP))),
                rule(
                        VmRule.FAILED_HIGHLY_AVAILABLE,
                        16,
                        () -> fails(vm(VmStatus.UP).highlyAvailable())),
                rule(
                        VmRule.START_FAILED,
                        18,
                        () -> fails(vm(VmStatus.POWERING_UP).waitedForBy(InFlight.RUN))),
                rule(
                        VmRule.START_STOPPED,
                        19,
                        () -> stops(vm(VmStatus.POWERING_UP).waitedForBy(InFlight.RUN))),
                rule(VmRule.COLD_REBOOT, 20, () -> stops(vm(VmStatus.UP).toBeColdRebooted())),
                rule(VmRule.SUSPENDED, 23, () -> stops(vm(VmStatus.SAVING_STATE))),
                rule(VmRule.SUSPEND_FAILED, 24, () -> fails(vm(VmStatus.SAVING_STATE))),
                rule(
                        VmRule.POWERED_OFF,
                        25,
                        () -> vm(VmStatus.UP).poweredOffJustNow().doesNotMention(H1)),
                rule(
                        VmRule.GONE_AS_EXPECTED,
                        26,
                        () -> vm(VmStatus.POWERING_DOWN).doesNotMention(H1)),
                rule(VmRule.GONE, 27, () -> vm(VmStatus.UP).doesNotMention(H1)),
                rule(
                        VmRule.GONE_WHILE_STARTING,
                        28,
                        () -> vm(VmStatus.UP).waitedForBy(InFlight.RUN).doesNotMention(H1)),
                rule(
                        VmRule.GONE_IN_COLD_REBOOT,
                        29,
                        () ->
                                vm(VmStatus.REBOOT_IN_PROGRESS)
                                        .toBeColdRebooted()
                                        .doesNotMention(H1)),
                rule(VmRule.RESTORED, 30, () -> vm(VmStatus.UNKNOWN).says(H1, VmStatus.UP)),
                rule(VmRule.NOT_RESTORED, 31, () -> vm(VmStatus.UNKNOWN).doesNotMention(H1)),
                rule(
                        VmRule.PAUSED_LEFTOVER,
                        35,
                        () -> vm(VmStatus.UP).saysPaused(H2, PauseStatus.NONE)),
                rule(
                        VmRule.ENDED_LEFTOVER,
                        36,
                        () ->
                                vm(VmStatus.UP)
                                        .saysDown(H2, ExitStatus.NORMAL, ExitReason.USER_SHUTDOWN)),
                rule(VmRule.CONTESTED, 37, () -> vm(VmStatus.UP).says(H2, VmStatus.UP)),
                rule(
                        VmRule.CLAIM_GRANTED,
                        37,
                        () -> vm(VmStatus.UP).claimedBy(H2, VmStatus.UP).doesNotMention(H1)),
                rule(VmRule.HANDED_OVER, 40, () -> migrating().saysMigratedAway(H1)),
                rule(
                        VmRule.HANDED_OVER_UNSEEN,
                        41,
                        () -> migrating().silent(H2).saysMigratedAway(H1)),
                rule(VmRule.ARRIVED, 42, () -> vm(VmStatus.MIGRATING_TO).says(H1, VmStatus.UP)),
                rule(VmRule.DESTINATION_FIRST, 43, () -> migrating().says(H2, VmStatus.UP)),
                rule(VmRule.LEFT_FOR_UNKNOWN, 44, () -> vm(VmStatus.UP).saysMigratedAway(H1)),
                rule(VmRule.MIGRATION_FAILED, 45, () -> migrating().says(H1, VmStatus.UP)),
                rule(VmRule.MIGRATION_ABORTED, 46, () -> fails(migrating())),
                rule(VmRule.POST_COPY, 48, () -> migrating().saysPaused(H1, PauseStatus.POSTCOPY)),
                rule(
                        VmRule.GONE_IN_MIGRATION,
                        49,
                        () -> vm(VmStatus.MIGRATING_FROM).doesNotMention(H1)),
                rule(
                        VmRule.ARRIVED_PAUSED,
                        50,
                        () -> vm(VmStatus.MIGRATING_TO).saysPaused(H1, PauseStatus.NONE)),
                rule(VmRule.HOST_LOST, 81, () -> vm(VmStatus.UP).stopsAnswering(H1)),
                rule(VmRule.HOST_FENCED, 31, () -> vm(VmStatus.UP).isFenced(H1)),
                rule(
                        VmRule.AS_REPORTED,
                        0,
                        () -> vm(VmStatus.UP).says(H1, VmStatus.POWERING_DOWN)));
    }

    @ParameterizedTest
    @MethodSource("rules")
    @DisplayName("a decision names its rule and its scenario")
    void named(VmRule rule, int scenario, Supplier<Scene> scene) {
        assertThat(scene.get().rule()).isEqualTo(rule);
        assertThat(rule.scenario()).isEqualTo(scenario);
    }

    @Test
    @DisplayName(
            "every rule has a scenario of the specification or none, a clause, and its own word")
    void words() {
        List<BeliefRule> all =
                Stream.<BeliefRule>concat(
                                Arrays.stream(VmRule.values()),
                                Arrays.stream(HostTransition.values()))
                        .toList();
        assertThat(all)
                .allSatisfy(rule -> {
                    assertThat(rule.scenario()).isBetween(0, 105);
                    assertThat(rule.clause()).isNotBlank();
                    assertThat(rule.label()).matches("[a-z_]{2,100}");
                });
        assertThat(Arrays.stream(VmRule.values()).map(VmRule::label)).doesNotHaveDuplicates();
    }
}
