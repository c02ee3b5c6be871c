package org.stillwater.testkit.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.stillwater.core.connection.HostAnswer;
import org.stillwater.core.connection.HostFailure;
import org.stillwater.core.id.VmId;
import org.stillwater.core.report.HostField;
import org.stillwater.core.report.HostValues;
import org.stillwater.testkit.ScriptedHost;
import org.stillwater.testkit.ScriptedReports;
import org.stillwater.testkit.simulation.LyingHost.Word;

/**
 * Messages of the {@linkplain LyingHost lying host} to the engine in the history of a fleet. Each
 * message passes alone, after all earlier work is done, and {@link TrustRules} checks its effects.
 */
final class LyingConnection {

    private static final Duration TICK = Duration.ofNanos(1_000);

    private final SimulatedHost host;
    private final LyingHost liar;
    private final SimulationEnvironment surroundings;
    private final World world;
    private final TrustRules trust;
    private final Trace trace;
    private final Runnable pump;
    private int lies;

    LyingConnection(
            SimulatedHost host,
            LyingHost liar,
            SimulationEnvironment surroundings,
            World world,
            TrustRules trust,
            Trace trace,
            Runnable pump) {
        this.host = host;
        this.liar = liar;
        this.surroundings = surroundings;
        this.world = world;
        this.trust = trust;
        this.trace = trace;
        this.pump = pump;
    }

    SimulatedHost host() {
        return host;
    }

    /** How many messages with lies reached the engine. */
    int lies() {
        return lies;
    }

    boolean isLying() {
        return liar.isLying();
    }

    /** It is honest from now on. */
    void reform() {
        liar.reform();
        trace.truth("%s lies no more", host);
    }

    /** Sends unrequested messages of the lying host. */
    void act() {
        if (liar.changesItsMind()) {
            trace.truth("%s %s", host, liar.isLying() ? "begins to lie" : "is honest for a while");
        }
        if (!host.isHeard() || host.isRecovering()) {
            return;
        }
        int times = liar.lies();
        for (int i = 0; i < times && host.isHeard(); i++) {
            lie();
        }
    }

    private void lie() {
        VmId vm = liar.victim(close());
        ScriptedHost calls = surroundings.connector().host(host.id());
        if (liar.speaksOfProgress()) {
            LyingHost.Progress progress = liar.progress();
            trace.network(
                    "%s LIES that the migration of %s is at %s", host, World.name(vm), progress);
            tell(
                    Set.of(vm),
                    () ->
                            calls.listener()
                                    .migrationProgressed(
                                            vm, progress.percent(), progress.downtimeMillis()));
            return;
        }
        Word word = liar.invent(vm);
        long stamp = liar.stamp(host.stamp());
        trace.network(
                "%s LIES by event that %s is %s, stamp %d", host, World.name(vm), word, stamp);
        tell(
                Set.of(vm),
                () -> {
                    ScriptedReports message =
                            ScriptedReports.event(surroundings.clock().nanoTime());
                    liar.say(message, vm, word, stamp);
                    calls.listener().vmsChanged(message);
                });
    }

    /** VMs that it has, had, or that come or go. */
    private List<VmId> close() {
        return new ArrayList<>(host.processes().keySet());
    }

    /** Lets one message through. */
    private void tell(Set<VmId> about, Runnable message) {
        surroundings.clock().advance(TICK);
        pump.run();
        lies++;
        trust.beforeLie(about);
        message.run();
        pump.run();
        trust.afterLie(host);
    }

    /**
     * Answers a poll: with its claims, and without denied VMs.
     *
     * @return how many VMs are in it
     */
    int answerPoll(SimulatedHost.Poll poll, boolean cutOff) {
        ScriptedHost calls = surroundings.connector().host(host.id());
        ScriptedReports message =
                ScriptedReports.poll(poll.askedNanos(), surroundings.clock().nanoTime());
        Map<VmId, String> said = new TreeMap<>();
        Map<VmId, Word> claims = liar.claims();
        poll.processes()
                .forEach((vm, process) -> {
                    if (!claims.containsKey(vm) && !liar.denies(vm)) {
                        long stamp = liar.stamp(poll.stampMillis());
                        said.put(vm, World.name(vm) + " " + process + " stamp " + stamp);
                        FleetSimulation.report(message, vm, process, stamp, true, true);
                    }
                });
        claims.forEach((vm, word) -> {
            long stamp = liar.stamp(poll.stampMillis());
            said.put(vm, World.name(vm) + " " + word + " stamp " + stamp);
            liar.say(message, vm, word, stamp);
        });
        if (cutOff) {
            message.thenNonsense("cut off");
        }
        trace.network(
                "%s LIES in its answer to a poll%s: %s",
                host, cutOff ? ", cut off" : "", said.values());
        Set<VmId> about = new HashSet<>(said.keySet());
        about.addAll(poll.processes().keySet());
        tell(about, () -> calls.answerPoll(message));
        return said.size();
    }

    /** Answers that something was removed, or was not. */
    void answerDestroys() {
        ScriptedHost calls = surroundings.connector().host(host.id());
        HostFailure failure = liar.answer(null);
        if (failure == null) {
            calls.answerDestroys();
        } else if (calls.failDestroys(failure) > 0) {
            trace.network("%s LIES about what it was to destroy: %s", host, failure.describe());
        }
    }

    /** Whether it ignores an order of the engine. */
    boolean leavesUndone() {
        return liar.leavesUndone();
    }

    void answerDomains(ScriptedHost.DomainCall call) {
        Map<VmId, String> domains =
                liar.domains(call.vms(), named -> FleetSimulation.domain(named.vm(), named.name()));
        trace.network(
                "%s LIES about the domains of %s: %s",
                host,
                call.vms().stream().map(World::name).toList(),
                domains.keySet().stream().map(World::name).toList());
        Set<VmId> about = new HashSet<>(call.vms());
        about.addAll(domains.keySet());
        tell(about, () -> call.receiver().accept(new HostAnswer.Success<>(domains)));
    }

    /** Answers for the capabilities; whether the boot was the true one. */
    boolean answerCapabilities() {
        ScriptedHost calls = surroundings.connector().host(host.id());
        String boot = liar.boot(world.hosts().stream().map(SimulatedHost::bootId).toList());
        if (boot == null) {
            calls.answerCapabilities(host.capabilities());
            return true;
        }
        trace.network("%s LIES that its boot is %s", host, boot);
        tell(
                Set.of(),
                () ->
                        calls.answerCapabilities(
                                new HostValues()
                                        .put(HostField.BOOT_UUID, boot)
                                        .put(HostField.SELINUX_MODE, 1)
                                        .put(HostField.KVM_ENABLED, host.isFit())
                                        .capabilities()));
        return false;
    }
}
