package org.stillwater.monitoring.regression;

import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.benchmark.BenchmarkMatrix;
import org.stillwater.core.cluster.Cluster;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.regression.Finding;
import org.stillwater.core.regression.RegressionMetric;
import org.stillwater.core.regression.SeriesOwner;
import org.stillwater.core.regression.SeriesOwner.Shared;
import org.stillwater.monitoring.FleetReader;
import org.stillwater.monitoring.host.HostView;
import org.stillwater.monitoring.vm.VmView;

/**
 * Display names of the objects of findings. A removed object has its identity as its name. Any
 * thread.
 */
public final class FindingNames {

    private final FleetReader fleet;

    /** Names of a fleet. */
    public FindingNames(FleetReader fleet) {
        this.fleet = fleet;
    }

    /** The VM that an object is or belongs to, null for none. */
    public @Nullable VmId vm(Shared object) {
        if (BenchmarkNames.isBenchmark(object)) {
            return BenchmarkNames.vm(object.name());
        }
        return switch (object.level()) {
            case SeriesOwner.VM -> VmId.parse(object.name());
            case SeriesOwner.DISK -> VmId.parse(first(object.name()));
            case SeriesOwner.INTERFACE -> {
                VmId id = VmId.parse(first(object.name()));
                yield fleet.vm(id) == null ? null : id;
            }
            default -> null;
        };
    }

    /** The host that an object is or belongs to, null for none. */
    public @Nullable HostId host(Shared object) {
        if (BenchmarkNames.isBenchmark(object)) {
            return BenchmarkNames.host(object.name());
        }
        return switch (object.level()) {
            case SeriesOwner.HOST -> new HostId(UUID.fromString(object.name()));
            case SeriesOwner.STORAGE_PATH -> new HostId(UUID.fromString(first(object.name())));
            case SeriesOwner.INTERFACE -> {
                HostId id = new HostId(UUID.fromString(first(object.name())));
                yield fleet.host(id) == null ? null : id;
            }
            default -> null;
        };
    }

    /** The cluster of an object that is a cluster, otherwise null. */
    public @Nullable ClusterId cluster(Shared object) {
        return object.level().equals(SeriesOwner.CLUSTER)
                ? new ClusterId(UUID.fromString(object.name()))
                : null;
    }

    /** The cluster that an object is or is in, null for none or for an object that is gone. */
    public @Nullable ClusterId clusterOf(Shared object) {
        VmId vm = vm(object);
        VmView ofVm = vm == null ? null : fleet.vm(vm);
        if (ofVm != null) {
            return ofVm.definition().cluster();
        }
        HostId host = host(object);
        HostView ofHost = host == null ? null : fleet.host(host);
        return ofHost == null ? cluster(object) : ofHost.state().definition().cluster();
    }

    /** The object in words, such as {@code disk vda of VM web1}. */
    public String of(Shared object) {
        String rest = object.name().substring(object.name().indexOf('/') + 1);
        VmId vm = vm(object);
        HostId host = host(object);
        if (BenchmarkNames.isBenchmark(object)) {
            return BenchmarkNames.cells(object)
                    + (host == null
                            ? " of VM " + name(vm, first(object.name()))
                            : " of host " + name(host, first(object.name())));
        }
        return switch (object.level()) {
            case SeriesOwner.VM -> "VM " + name(vm, object.name());
            case SeriesOwner.DISK -> "disk " + rest + " of VM " + name(vm, first(object.name()));
            case SeriesOwner.INTERFACE ->
                    "interface "
                            + rest
                            + (host == null
                                    ? " of VM " + name(vm, first(object.name()))
                                    : " of host " + name(host, first(object.name())));
            case SeriesOwner.HOST -> "host " + name(host, object.name());
            case SeriesOwner.STORAGE_PATH ->
                    "storage domain "
                            + rest
                            + " as host "
                            + name(host, first(object.name()))
                            + " reaches it";
            case SeriesOwner.STORAGE_DOMAIN -> "storage domain " + object.name();
            case SeriesOwner.CLUSTER -> {
                ClusterId id = cluster(object);
                Cluster known = id == null ? null : fleet.cluster(id);
                yield "cluster " + (known == null ? object.name() : known.name());
            }
            default -> object.level() + " " + object.name();
        };
    }

    /** The level of the objects that a metric measures. */
    public static String level(RegressionMetric metric) {
        return switch (metric) {
            case DISK_READ_LATENCY,
                    DISK_WRITE_LATENCY,
                    DISK_READ_THROUGHPUT,
                    DISK_WRITE_THROUGHPUT ->
                    SeriesOwner.DISK;
            case CPU_WAIT, VM_BALLOON -> SeriesOwner.VM;
            case INTERFACE_LOSS -> SeriesOwner.INTERFACE;
            case STORAGE_DELAY -> SeriesOwner.STORAGE_PATH;
            case HOST_ANSWER, EVENT_LAG, HOST_SWAP, MIGRATION_DURATION, BOOT_TIME ->
                    SeriesOwner.HOST;
            case BENCHMARK_THROUGHPUT -> BenchmarkMatrix.CELL;
        };
    }

    /**
     * A member of a finding as an object. A finding with several metrics has members of several
     * levels; the form of a member's name and the kind of its owner distinguish them.
     */
    public Shared member(Finding finding, String member) {
        List<String> levels =
                finding.changes().stream().map(each -> level(each.metric())).distinct().toList();
        return new Shared(
                levels.stream()
                        .filter(level -> levels.size() == 1 || fits(level, member))
                        .findFirst()
                        .orElse(levels.getFirst()),
                member);
    }

    private boolean fits(String level, String member) {
        String owner = first(member);
        boolean isPart = owner.length() < member.length();
        boolean isOfHost = isId(owner) && fleet.host(new HostId(UUID.fromString(owner))) != null;
        boolean isDomain = isPart && isId(member.substring(owner.length() + 1));
        return switch (level) {
            case SeriesOwner.STORAGE_PATH -> isDomain;
            case SeriesOwner.DISK -> isPart && !isDomain && !isOfHost;
            case SeriesOwner.INTERFACE -> isPart && !isDomain;
            case SeriesOwner.HOST -> !isPart && isOfHost;
            case SeriesOwner.VM -> !isPart && !isOfHost;
            default -> false;
        };
    }

    private static boolean isId(String text) {
        try {
            return UUID.fromString(text).toString().equals(text);
        } catch (IllegalArgumentException _) {
            return false;
        }
    }

    private static String first(String name) {
        int slash = name.indexOf('/');
        return slash < 0 ? name : name.substring(0, slash);
    }

    private String name(@Nullable VmId id, String otherwise) {
        VmView view = id == null ? null : fleet.vm(id);
        return view == null ? otherwise : view.definition().name();
    }

    private String name(@Nullable HostId id, String otherwise) {
        HostView view = id == null ? null : fleet.host(id);
        return view == null ? otherwise : view.state().definition().name();
    }
}
