package org.stillwater.core.analysis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.stillwater.core.analysis.Scene.H1;
import static org.stillwater.core.analysis.Scene.H2;
import static org.stillwater.core.analysis.Scene.H3;
import static org.stillwater.core.analysis.Scene.vm;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.stillwater.core.audit.AuditEvent;
import org.stillwater.core.vm.ExitReason;
import org.stillwater.core.vm.ExitStatus;
import org.stillwater.core.vm.PauseStatus;
import org.stillwater.core.vm.RuntimeField;
import org.stillwater.core.vm.VmCommands.InFlight;
import org.stillwater.core.vm.VmStatus;

/** A host is believed about its own VMs only (monitoring specification §4.5; ADR 0032). */
class ClaimsTest {

    /** Possible reports of a host about its process. */
    private static final List<VmStatus> PROCESSES =
            List.of(
                    VmStatus.UNASSIGNED,
                    VmStatus.UP,
                    VmStatus.POWERING_UP,
                    VmStatus.PAUSED,
                    VmStatus.MIGRATING_FROM,
                    VmStatus.MIGRATING_TO,
                    VmStatus.NOT_RESPONDING,
                    VmStatus.WAIT_FOR_LAUNCH,
                    VmStatus.REBOOT_IN_PROGRESS,
                    VmStatus.SAVING_STATE,
                    VmStatus.RESTORING_STATE,
                    VmStatus.POWERING_DOWN);

    /** Statuses of a VM for which a host is responsible. */
    private static Stream<VmStatus> placed() {
        return Stream.of(VmStatus.values()).filter(status -> !status.isNotRunning());
    }

    private static Stream<Arguments> claims() {
        return placed().flatMap(
                        known -> PROCESSES.stream().map(claimed -> Arguments.of(known, claimed)));
    }

    /**
     * A highly available VM, at rest and under each order that could explain another host's claim.
     */
    private static List<Scene> scenes(VmStatus known) {
        return List.of(
                waitedFor(known, InFlight.NONE),
                waitedFor(known, InFlight.RUN),
                waitedFor(known, InFlight.MIGRATE),
                waitedFor(known, InFlight.MIGRATE).migratingTo(H2));
    }

    private static Scene waitedFor(VmStatus known, InFlight order) {
        return vm(known).highlyAvailable().waitedForBy(order);
    }

    @ParameterizedTest(name = "a VM that is {0}, a third host says {1}")
    @MethodSource("claims")
    void aThirdHostChangesNothing(VmStatus known, VmStatus claimed) {
        if (known == VmStatus.MIGRATING_TO && claimed == VmStatus.MIGRATING_FROM) {
            return; // theSourceOfAnArrivalIsBelieved
        }
        for (Scene scene : scenes(known)) {
            var placement = scene.placement();
            var commands = scene.commands();
            var runtime = scene.runtime();

            scene.says(H3, claimed);

            assertThat(scene.placement()).isEqualTo(placement);
            assertThat(scene.runtime()).isEqualTo(runtime);
            assertThat(scene.commands()).isEqualTo(commands);
            assertThat(scene.signals()).isEmpty();
            assertThat(scene.queued()).isEmpty();
            assertThat(scene.audited()).isEmpty();
            assertThat(scene.removedJobs()).isFalse();
            assertThat(scene.decisions())
                    .allMatch(decision ->
                            decision instanceof Decision.Contest
                                    || (claimed == VmStatus.PAUSED
                                            && decision instanceof Decision.DestroyOnHost destroy
                                            && destroy.host().equals(H3)
                                            && destroy.hasProcess()));
        }
    }

    @ParameterizedTest(name = "a VM that is {0}, out of contact or not, H3 says that it ended")
    @MethodSource("placed")
    void anEndReportedByAThirdHostRemovesOnlyItsRemains(VmStatus known) {
        for (ExitReason reason : ExitReason.values()) {
            for (boolean silent : new boolean[] {false, true}) {
                Scene scene = vm(known).highlyAvailable().waitedForBy(InFlight.RUN);
                if (silent) {
                    scene.silent(H1);
                }
                var placement = scene.placement();

                scene.saysDown(H3, ExitStatus.ERROR, reason);

                assertThat(scene.changedState()).isFalse();
                assertThat(scene.placement()).isEqualTo(placement);
                assertThat(scene.commands().inFlight()).isEqualTo(InFlight.RUN);
                assertThat(scene.queued()).isEmpty();
                assertThat(scene.audited()).isEmpty();
                assertThat(scene.destroyed()).containsExactly(H3);
            }
        }
    }

    @ParameterizedTest(name = "a claim about a VM that is {0} stands while its host is silent")
    @MethodSource("placed")
    void aClaimWaitsForASilentHost(VmStatus known) {
        Scene scene = vm(known).silent(H1).says(H2, VmStatus.UP);

        assertThat(scene.changedState()).isFalse();
        assertThat(scene.contested()).isEqualTo(H2);
    }

    @ParameterizedTest(name = "a VM that is {0} on a host that is not watched any more")
    @MethodSource("placed")
    void aHostThatIsNotWatchedNeedNotAnswer(VmStatus known) {
        Scene scene = vm(known).unwatched(H1).says(H2, VmStatus.UP);

        assertThat(scene.host()).isEqualTo(H2);
        assertThat(scene.status()).isEqualTo(VmStatus.UP);
    }

    @ParameterizedTest(name = "a VM that is {0} and not on its host any more")
    @EnumSource(
            value = VmStatus.class,
            names = {"DOWN", "SUSPENDED", "IMAGE_ILLEGAL", "IMAGE_LOCKED"},
            mode = EnumSource.Mode.EXCLUDE)
    void theClaimantHasAVmThatItsHostDenies(VmStatus known) {
        for (boolean refused : new boolean[] {false, true}) {
            Scene scene = vm(known).highlyAvailable();
            scene = refused ? scene.refusedTo(H2, VmStatus.UP) : scene.claimedBy(H2, VmStatus.UP);

            scene.doesNotMention(H1);

            assertThat(scene.status()).isEqualTo(VmStatus.UP);
            assertThat(scene.host()).isEqualTo(H2);
            assertThat(scene.queued()).isEmpty();
        }
    }

    @Test
    void aClaimantThatIsSilentByThenHasItUnknown() {
        Scene scene =
                vm(VmStatus.UP)
                        .highlyAvailable()
                        .claimedBy(H2, VmStatus.UP)
                        .silent(H2)
                        .doesNotMention(H1);

        assertThat(scene.status()).isEqualTo(VmStatus.UNKNOWN);
        assertThat(scene.host()).isEqualTo(H2);
        assertThat(scene.queued()).isEmpty();
    }

    @Test
    void theClaimantHasAVmThatEndedOnItsHost() {
        for (ExitReason reason : ExitReason.values()) {
            for (ExitStatus how : List.of(ExitStatus.ERROR, ExitStatus.NORMAL)) {
                for (VmStatus known : List.of(VmStatus.UP, VmStatus.SAVING_STATE)) {
                    Scene scene = vm(known).highlyAvailable().toBeColdRebooted();
                    scene.claimedBy(H2, VmStatus.UP).saysDown(H1, how, reason);
                    assertThat(scene.host()).as("%s %s", how, reason).isEqualTo(H2);
                    assertThat(scene.status()).isEqualTo(VmStatus.UP);
                    assertThat(scene.queued()).as("%s %s", how, reason).isEmpty();
                    assertThat(scene.destroyed()).containsExactly(H1);
                    assertThat(scene.commands().coldReboot())
                            .isEqualTo(reason == ExitReason.MIGRATION_SUCCEEDED);
                }
            }
        }
    }

    @Test
    void theClaimantHasAVmThatLeftTheDestination() {
        Scene scene = vm(VmStatus.MIGRATING_TO).on(H2).migratingTo(H2).claimedBy(H3, VmStatus.UP);

        scene.saysMigratedAway(H2);

        assertThat(scene.host()).isEqualTo(H3);
        assertThat(scene.status()).isEqualTo(VmStatus.UP);
        assertThat(scene.destroyed()).containsExactly(H2);
    }

    @Test
    void anEndOfUnknownKindProvesNothing() {
        Scene scene = vm(VmStatus.UP).claimedBy(H2, VmStatus.UP);

        scene.saysDown(H1, ExitStatus.UNKNOWN, ExitReason.UNKNOWN);

        assertThat(scene.isQuiet()).isTrue();
    }

    @Test
    void aClaimThatWasNeverRefusedCountsBeforeOneThatWas() {
        Scene scene =
                vm(VmStatus.UP)
                        .refusedTo(H3, VmStatus.UP)
                        .claimedBy(H2, VmStatus.UP)
                        .doesNotMention(H1);

        assertThat(scene.host()).isEqualTo(H2);
    }

    @Test
    void aFencedHostLeavesTheVmToTheClaimant() {
        Scene scene =
                vm(VmStatus.UNKNOWN).highlyAvailable().claimedBy(H2, VmStatus.UP).isFenced(H1);

        assertThat(scene.status()).isEqualTo(VmStatus.UP);
        assertThat(scene.host()).isEqualTo(H2);
        assertThat(scene.queued()).isEmpty();
    }

    @Test
    void aFencedDestinationLeavesTheVmToTheClaimant() {
        Scene scene =
                vm(VmStatus.UNKNOWN)
                        .highlyAvailable()
                        .migratingTo(H1)
                        .claimedBy(H2, VmStatus.UP)
                        .isFenced(H1);

        assertThat(scene.status()).isEqualTo(VmStatus.UP);
        assertThat(scene.host()).isEqualTo(H2);
        assertThat(scene.queued()).isEmpty();
    }

    @Test
    void theSourceOfAnArrivalIsBelieved() {
        Scene scene = vm(VmStatus.MIGRATING_TO).says(H3, VmStatus.MIGRATING_FROM);

        assertThat(scene.host()).isEqualTo(H3);
    }

    @Test
    void theStartingHostIsBelievedUntilAnotherReports() {
        Scene scene = vm(VmStatus.UNKNOWN).silent(H1).toldToStartOn(H3).says(H3, VmStatus.UP);

        assertThat(scene.host()).isEqualTo(H3);
        assertThat(scene.status()).isEqualTo(VmStatus.UP);
        assertThat(scene.commands().isWaitedFor()).isFalse();
    }

    @Test
    void aStartElsewhereIsAClaimOnceTheResponsibleHostReportsTheEnd() {
        Scene scene = vm(VmStatus.UNKNOWN).silent(H1).says(H2, VmStatus.WAIT_FOR_LAUNCH);
        assertThat(scene.changedState()).isFalse();
        assertThat(scene.contested()).isEqualTo(H2);

        scene.claimedBy(H2, VmStatus.WAIT_FOR_LAUNCH)
                .saysDown(H1, ExitStatus.NORMAL, ExitReason.USER_SHUTDOWN);
        assertThat(scene.status()).isEqualTo(VmStatus.WAIT_FOR_LAUNCH);
        assertThat(scene.host()).isEqualTo(H2);
        assertThat(scene.queued()).isEmpty();
    }

    @Test
    void theStartingHostMayReportAFailedStart() {
        Scene scene =
                vm(VmStatus.UNKNOWN)
                        .silent(H1)
                        .toldToStartOn(H3)
                        .says(H3, VmStatus.WAIT_FOR_LAUNCH);

        assertThat(scene.isQuiet()).isTrue();
    }

    /** Its source came back without it, and the destination of its migration is in contact. */
    @Test
    void theStartingHostWaitsForTheHostOfTheHandOver() {
        Scene scene = vm(VmStatus.MIGRATING_TO).on(H2).migratingTo(H2).toldToStartOn(H3);

        scene.says(H3, VmStatus.WAIT_FOR_LAUNCH);
        assertThat(scene.changedState()).isFalse();
        assertThat(scene.contested()).isEqualTo(H3);
        scene.says(H3, VmStatus.UP);
        assertThat(scene.changedState()).isFalse();
        assertThat(scene.contested()).isEqualTo(H3);

        scene.claimedBy(H3, VmStatus.UP).doesNotMention(H2);
        assertThat(scene.host()).isEqualTo(H3);
        assertThat(scene.status()).isEqualTo(VmStatus.UP);
        assertThat(scene.commands().isWaitedFor()).isFalse();
        assertThat(scene.queued()).isEmpty();
    }

    @Test
    void anAwaitedVmHasNotEndedWhileOthersMayRunIt() {
        Scene scene =
                vm(VmStatus.UNKNOWN)
                        .highlyAvailable()
                        .with(RuntimeField.EXIT_REASON, ExitReason.MIGRATION_SUCCEEDED)
                        .othersUnheard()
                        .saysDown(H3, ExitStatus.ERROR, ExitReason.GENERIC_ERROR);

        assertThat(scene.status()).isEqualTo(VmStatus.UNKNOWN);
        assertThat(scene.hearsOthers()).isTrue();
        assertThat(scene.destroyed()).as("the record is the proof").isEmpty();
        assertThat(scene.queued()).isEmpty();

        Scene claimed =
                vm(VmStatus.UNKNOWN)
                        .highlyAvailable()
                        .with(RuntimeField.EXIT_REASON, ExitReason.MIGRATION_SUCCEEDED)
                        .claimedBy(H2, VmStatus.UP)
                        .saysDown(H3, ExitStatus.ERROR, ExitReason.GENERIC_ERROR);
        assertThat(claimed.status()).isEqualTo(VmStatus.UNKNOWN);
        assertThat(claimed.queued()).isEmpty();
    }

    @Test
    void anEndRightAfterAMoveWaitsForTheOthers() {
        Scene failed =
                vm(VmStatus.UP)
                        .highlyAvailable()
                        .othersUnheard()
                        .saysDown(H1, ExitStatus.ERROR, ExitReason.GENERIC_ERROR);
        assertThat(failed.changedState()).isFalse();
        assertThat(failed.hearsOthers()).isTrue();
        assertThat(failed.destroyed()).isEmpty();

        Scene absent = vm(VmStatus.UP).highlyAvailable().othersUnheard().doesNotMention(H1);
        assertThat(absent.changedState()).isFalse();
        assertThat(absent.hearsOthers()).isTrue();
    }

    @Test
    void aSourceThatFailsIsBelievedOnceTheDestinationWasHeard() {
        Scene scene = Scene.migrating().highlyAvailable().othersUnheard();

        scene.saysDown(H1, ExitStatus.ERROR, ExitReason.GENERIC_ERROR);

        assertThat(scene.status()).isEqualTo(VmStatus.MIGRATING_FROM);
        assertThat(scene.destroyed()).isEmpty();
        assertThat(scene.hearsOthers()).isTrue();
    }

    @Test
    void aPausedProcessElsewhereIsNoClaimOnAVmThatVanished() {
        Scene scene = vm(VmStatus.UP).saysPaused(H2, PauseStatus.EIO);
        assertThat(scene.contested()).isNull();

        scene.doesNotMention(H1);
        assertThat(scene.status()).isEqualTo(VmStatus.DOWN);
        assertThat(scene.audited()).contains(AuditEvent.VM_DOWN_ERROR);
    }
}
