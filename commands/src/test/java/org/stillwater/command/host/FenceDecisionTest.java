package org.stillwater.command.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.stillwater.command.host.FenceDecision.Next;
import org.stillwater.command.host.FenceDecision.Seen;
import org.stillwater.command.host.FenceDecision.Way;
import org.stillwater.command.operation.CommandLab;
import org.stillwater.core.analysis.host.HostFact;
import org.stillwater.core.fence.FenceAgent;
import org.stillwater.core.host.HostStatus;
import org.stillwater.core.operation.Operation;
import org.stillwater.core.operation.OperationKind;
import org.stillwater.core.operation.OperationParameters;

/** The decision about a host that has to be fenced, without an engine (§3.6). */
class FenceDecisionTest {

    private static final long EPISODE = 5;
    private static final OperationParameters REALLY = new OperationParameters.Fence(false);
    private static final OperationParameters DRY = new OperationParameters.Fence(true);
    private static final FenceAgent AGENT =
            new FenceAgent("ipmilan", "192.0.2.9", null, "admin", "secret word", Map.of());

    private static FenceAttempt attempt(String who, OperationParameters how, boolean resumed) {
        return new FenceAttempt(
                Operation.on(
                        CommandLab.hostId(1),
                        new UUID(1, 1),
                        OperationKind.FENCE,
                        how,
                        new Operation.Origin(who, "test"),
                        EPISODE,
                        Instant.EPOCH),
                null,
                resumed);
    }

    private static FenceAttempt automatic(OperationParameters how) {
        return attempt(HostOperationLifecycle.ENGINE, how, false);
    }

    private static Next next(FenceAttempt attempt, @Nullable HostStatus status, long episode) {
        return FenceDecision.next(attempt, new Seen(status, episode, false));
    }

    @Test
    void aSilentHostIsFencedUnlessThePolicyHoldsThatBackAndAfterListening() {
        assertThat(next(automatic(REALLY), HostStatus.NON_RESPONSIVE, EPISODE))
                .isEqualTo(new Next.Fence(true, true));
        assertThat(next(automatic(DRY), HostStatus.NON_RESPONSIVE, EPISODE))
                .as("nothing is cut short by telling")
                .isEqualTo(new Next.Fence(true, false));
    }

    @Test
    void aHostOfWhichTheAgentMayStillBeRestartedIsWaitedFor() {
        assertThat(
                        FenceDecision.next(
                                automatic(REALLY),
                                new Seen(HostStatus.NON_RESPONSIVE, EPISODE, true)))
                .isEqualTo(new Next.Wait());
    }

    @Test
    void anotherOutageIsIgnored() {
        assertThat(next(automatic(REALLY), HostStatus.NON_RESPONSIVE, EPISODE + 1))
                .isInstanceOf(Next.Stop.class);
        assertThat(next(automatic(REALLY), null, 0)).isEqualTo(new Next.Gone());
    }

    /** A request needs no reason; a restart of the engine is the exception. */
    @ParameterizedTest
    @EnumSource
    void anOrderOfAUserIsCarriedOutInEveryStatus(HostStatus status) {
        assertThat(next(attempt("eve", REALLY, false), status, EPISODE + 1))
                .isEqualTo(new Next.Fence(false, false));
        Next resumed = next(attempt("eve", REALLY, true), status, EPISODE);
        if (status == HostStatus.NON_RESPONSIVE
                || status == HostStatus.MAINTENANCE
                || status == HostStatus.DOWN) {
            assertThat(resumed).isEqualTo(new Next.Fence(false, false));
        } else if (status.isInContact()) {
            assertThat(resumed).isInstanceOf(Next.Stop.class);
        } else {
            assertThat(resumed).isEqualTo(new Next.Wait());
        }
    }

    @ParameterizedTest
    @EnumSource
    void aConfirmationSetsVmsDownUnlessTheHostIsInContact(HostStatus status) {
        Next next = next(attempt("eve", OperationParameters.NONE, false), status, EPISODE);
        assertThat(next).isInstanceOf(status.isInContact() ? Next.Stop.class : Next.SetDown.class);
    }

    @Test
    void withoutAgentsNothingCanBeSwitchedAndADryRunSwitchesNothing() {
        assertThat(FenceDecision.way(automatic(REALLY), List.of(), 3)).isInstanceOf(Way.None.class);
        assertThat(((Way.DryRun) FenceDecision.way(automatic(DRY), List.of(AGENT), 3)).result())
                .contains("fence_ipmilan at 192.0.2.9", "3 VMs", "no power was switched")
                .doesNotContain("secret word");
    }

    @Test
    void theMonitorMayStillRefuseAFenceByTheEngine() {
        assertThat(((Way.Switch) FenceDecision.way(automatic(REALLY), List.of(AGENT), 0)).order())
                .isEqualTo(new HostFact.Fence(EPISODE));
        assertThat(
                        ((Way.Switch)
                                        FenceDecision.way(
                                                attempt("eve", REALLY, false), List.of(AGENT), 0))
                                .order())
                .isEqualTo(new HostFact.Reboot());
    }
}
