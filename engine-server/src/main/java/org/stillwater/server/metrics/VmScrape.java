package org.stillwater.server.metrics;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.definition.VmStatic;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.HostId;
import org.stillwater.core.store.RunDefinition;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.monitoring.vm.VmNumber;
import org.stillwater.monitoring.vm.VmNumbers;
import org.stillwater.monitoring.vm.VmReading;

/**
 * A pass over all VMs for each family, and the VM that the pass is at: one object for all, so that
 * a scrape of a hundred thousand VMs leaves no garbage. Used once, by one thread.
 */
final class VmScrape {

    /** Data that is kept beside VMs. */
    interface Names {
        String of(HostId host);

        String of(ClusterId cluster);

        /** By how much longer the numbers of a host's VMs are not stale. */
        default long slackMillis(@Nullable HostId host) {
            return 0;
        }

        /** A VM's definition of its run if it was changed since the run began, or null. */
        @Nullable RunDefinition running(VmReading vm);
    }

    private final Exposition out;
    private final List<? extends VmReading> vms;
    private final Predicate<VmReading> wanted;
    private final Names names;
    private final long nowMillis;
    private final long staleMillis;
    private final VmNumbers numbers = new VmNumbers();
    private final Map<HostId, String> hosts = new HashMap<>();
    private final Map<ClusterId, String> clusters = new HashMap<>();
    private @Nullable VmReading vm;

    VmScrape(
            Exposition out,
            List<? extends VmReading> vms,
            Predicate<VmReading> wanted,
            Names names,
            long nowMillis,
            long staleMillis) {
        this.out = out;
        this.vms = vms;
        this.wanted = wanted;
        this.names = names;
        this.nowMillis = nowMillis;
        this.staleMillis = staleMillis;
    }

    /** Writes families of VMs one after the other. */
    void write(List<Family<VmScrape>> families) throws IOException {
        for (Family<VmScrape> family : families) {
            out.family(family.name(), family.kind(), family.help());
            for (int i = 0; i < vms.size(); i++) {
                VmReading next = vms.get(i);
                if (wanted.test(next)) {
                    vm = next;
                    family.samples().write(out, this);
                }
            }
        }
        vm = null;
    }

    VmReading vm() {
        return Objects.requireNonNull(vm);
    }

    VmStatic definition() {
        return vm().definition();
    }

    VmStatus status() {
        return vm().state().runtime().status();
    }

    /**
     * Whether the numbers of the VM are known and not stale. If so, {@link #numbers} has them; a VM
     * without has no series of them, and their absence is the stale marker.
     */
    boolean isCurrent() {
        if (!status().isRunningOrPaused()) {
            return false;
        }
        vm().numbers(numbers);
        return numbers.areKnown()
                && nowMillis - numbers.observedEpochMillis()
                        <= staleMillis + names.slackMillis(host());
    }

    VmNumbers numbers() {
        return numbers;
    }

    /** A number, NaN if it is not known. */
    double value(VmNumber number) {
        return numbers.value(number);
    }

    @Nullable RunDefinition running() {
        return names.running(vm());
    }

    @Nullable HostId host() {
        return vm().state().placement().runOn();
    }

    /** Name of the VM's host, null while it runs nowhere. */
    @Nullable String hostName() {
        HostId id = host();
        if (id == null) {
            return null;
        }
        String name = hosts.get(id);
        if (name == null) {
            name = names.of(id);
            hosts.put(id, name);
        }
        return name;
    }

    String clusterName() {
        ClusterId id = definition().cluster();
        String name = clusters.get(id);
        if (name == null) {
            name = names.of(id);
            clusters.put(id, name);
        }
        return name;
    }
}
