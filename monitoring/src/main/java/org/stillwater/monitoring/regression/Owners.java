package org.stillwater.monitoring.regression;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.regression.SeriesOwner;
import org.stillwater.core.regression.SeriesOwner.Shared;

/**
 * Names and dependencies of measured objects. Many series share hosts, clusters and storage
 * domains, so a table of a fixed size keeps one instance of each as long as it keeps its slot. For
 * any thread: the entries are immutable.
 */
final class Owners {

    /** A power of two. */
    private static final int PLACES = 1 << 12;

    private record Named(Object id, Shared shared) {}

    private static final @Nullable Named[] NAMED = new Named[PLACES];

    private Owners() {}

    static Shared vm(VmId id) {
        return shared(SeriesOwner.VM, id);
    }

    static Shared host(HostId id) {
        return shared(SeriesOwner.HOST, id);
    }

    static Shared cluster(ClusterId id) {
        return shared(SeriesOwner.CLUSTER, id);
    }

    static Shared storageDomain(String id) {
        return shared(SeriesOwner.STORAGE_DOMAIN, id);
    }

    private static Shared shared(String level, Object id) {
        int hash = 31 * level.hashCode() + id.hashCode();
        int place = (hash ^ (hash >>> 12)) & (PLACES - 1);
        Named there = NAMED[place];
        if (there == null || !there.id.equals(id) || !there.shared.level().equals(level)) {
            there = new Named(id, new Shared(level, id.toString()));
            NAMED[place] = there;
        }
        return there.shared;
    }

    static SeriesOwner disk(
            VmId vm, String disk, @Nullable HostId host, @Nullable UUID domain, ClusterId cluster) {
        String name = vm + "/" + disk;
        List<Shared> shared = new ArrayList<>(5);
        shared.add(new Shared(SeriesOwner.DISK, name));
        shared.add(vm(vm));
        if (host != null) {
            shared.add(host(host));
        }
        if (domain != null) {
            shared.add(storageDomain(domain.toString()));
        }
        shared.add(cluster(cluster));
        return new SeriesOwner(name, shared);
    }

    static SeriesOwner vm(VmId vm, @Nullable HostId host, ClusterId cluster) {
        List<Shared> shared = new ArrayList<>(3);
        Shared itself = vm(vm);
        shared.add(itself);
        if (host != null) {
            shared.add(host(host));
        }
        shared.add(cluster(cluster));
        return new SeriesOwner(itself.name(), shared);
    }

    static SeriesOwner vmInterface(VmId vm, String nic, @Nullable HostId host, ClusterId cluster) {
        String name = vm + "/" + nic;
        List<Shared> shared = new ArrayList<>(4);
        shared.add(new Shared(SeriesOwner.INTERFACE, name));
        shared.add(vm(vm));
        if (host != null) {
            shared.add(host(host));
        }
        shared.add(cluster(cluster));
        return new SeriesOwner(name, shared);
    }

    static SeriesOwner hostInterface(HostId host, String nic, ClusterId cluster) {
        String name = host + "/" + nic;
        return new SeriesOwner(
                name,
                List.of(new Shared(SeriesOwner.INTERFACE, name), host(host), cluster(cluster)));
    }

    static SeriesOwner storagePath(HostId host, String domain, ClusterId cluster) {
        String name = host + "/" + domain;
        return new SeriesOwner(
                name,
                List.of(
                        new Shared(SeriesOwner.STORAGE_PATH, name),
                        host(host),
                        storageDomain(domain),
                        cluster(cluster)));
    }

    static SeriesOwner host(HostId host, ClusterId cluster) {
        return new SeriesOwner(host.toString(), List.of(host(host), cluster(cluster)));
    }
}
