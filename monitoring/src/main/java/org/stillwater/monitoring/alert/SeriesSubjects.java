package org.stillwater.monitoring.alert;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.alert.AlertLimits;
import org.stillwater.core.alert.AlertRule;
import org.stillwater.core.alert.AlertScope;
import org.stillwater.core.alert.AlertSubject;
import org.stillwater.core.alert.RuleEvaluator;
import org.stillwater.core.alert.SeriesMeasure;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.regression.RegressionMetric;
import org.stillwater.core.regression.SeriesOwner;
import org.stillwater.monitoring.FleetReader;
import org.stillwater.monitoring.regression.FindingNames;
import org.stillwater.monitoring.regression.SeriesValues;
import org.stillwater.monitoring.vm.VmReading;

/**
 * The measured objects that rules watch: disks, interfaces, storage domains, VMs and hosts, with
 * their values of the newest interval. They are read once for each interval, because a value does
 * not change before the next one. Thread-safe.
 */
final class SeriesSubjects {

    /** A value without a successor for this many intervals more than usual has none. */
    private static final int PATIENCE = 2;

    /**
     * A series of the fleet.
     *
     * @param id identity of its object
     * @param owner its object and dependencies
     * @param vm the VM that it belongs to; null for a host's
     * @param host the host; of a VM, the one that ran it
     * @param domain the storage domain; null for none or an unknown one
     * @param value of the newest interval; NaN without load
     */
    record Measured(
            UUID id,
            SeriesOwner owner,
            @Nullable VmId vm,
            @Nullable HostId host,
            @Nullable String domain,
            double value) {}

    /** Series that together are one object of a rule. */
    record Member(UUID id, List<Measured> series) {

        /** Mean of the values; NaN without any. */
        double value() {
            double sum = 0;
            int known = 0;
            for (Measured each : series) {
                if (!Double.isNaN(each.value())) {
                    sum += each.value();
                    known++;
                }
            }
            return known == 0 ? Double.NaN : sum / known;
        }
    }

    private final SeriesValues values;
    private final FleetReader fleet;
    private final RuleSubjects subjects;
    private final Map<RegressionMetric, List<Measured>> read =
            new EnumMap<>(RegressionMetric.class);
    private long newest = SeriesValues.UNKNOWN;

    SeriesSubjects(SeriesValues values, FleetReader fleet, RuleSubjects subjects) {
        this.values = values;
        this.fleet = fleet;
        this.subjects = subjects;
    }

    /** Whether an interval was measured since the start: before it no object has a value. */
    synchronized boolean areKnown() {
        long now = values.newest();
        if (now != newest) {
            read.clear();
            newest = now;
        }
        return now != SeriesValues.UNKNOWN;
    }

    /** The limits of a rule on measured numbers, which come once in an interval. */
    AlertLimits limits(AlertLimits usual) {
        return new AlertLimits(
                usual.mostActive(),
                usual.patience().plus(values.interval().multipliedBy(PATIENCE)));
    }

    /** Gives the newest values of a rule's objects to its evaluator. */
    void sample(AlertRule rule, SeriesMeasure measure, RuleEvaluator evaluator) {
        for (Member each : members(rule.scope(), measure)) {
            evaluator.sample(
                    each.id().getMostSignificantBits(),
                    each.id().getLeastSignificantBits(),
                    measure.number(each.value()));
        }
    }

    /**
     * The duration of a rule that has its hosts polled four times in an interval: a mean needs
     * reports in three tenths of its time.
     */
    Duration lasting() {
        return values.interval().dividedBy(2);
    }

    /** The hosts that measure the objects of a scope. */
    synchronized Set<HostId> hosts(AlertScope scope, SeriesMeasure measure) {
        Set<HostId> hosts = new HashSet<>();
        for (Member member : members(scope, measure)) {
            for (Measured each : member.series()) {
                VmId vm = each.vm();
                VmReading reading = vm == null ? null : fleet.reading(vm);
                HostId host = reading == null ? each.host() : reading.state().placement().runOn();
                if (host != null) {
                    hosts.add(host);
                }
            }
        }
        return hosts;
    }

    /** The objects of a scope. */
    synchronized List<Member> members(AlertScope scope, SeriesMeasure measure) {
        boolean isAll = scope.isAll();
        List<Member> members = new ArrayList<>();
        Map<String, List<Measured>> domains = new HashMap<>();
        for (Measured each : series(measure.metric())) {
            if (!isWatched(scope, isAll, each)) {
                continue;
            }
            if (measure.kind() != AlertSubject.Kind.STORAGE_DOMAIN) {
                members.add(new Member(each.id(), List.of(each)));
            } else if (each.domain() != null) {
                domains.computeIfAbsent(each.domain(), _ -> new ArrayList<>()).add(each);
            }
        }
        domains.forEach(
                (domain, series) -> members.add(new Member(id(measure.kind(), domain), series)));
        return members;
    }

    private boolean isWatched(AlertScope scope, boolean isAll, Measured each) {
        VmId vm = each.vm();
        HostId host = each.host();
        boolean covered =
                vm != null
                        ? subjects.covers(scope, fleet.reading(vm))
                        : host != null && subjects.covers(scope, fleet.host(host));
        if (!covered || isAll || scope.storageDomains().isEmpty()) {
            return covered;
        }
        String domain = each.domain();
        return scope.coversDomain(domain == null ? null : uuid(domain));
    }

    private List<Measured> series(RegressionMetric metric) {
        return read.computeIfAbsent(
                metric,
                _ -> {
                    List<Measured> all = new ArrayList<>();
                    FindingNames names = new FindingNames(fleet);
                    values.visit(
                            metric,
                            newest,
                            (owner, value) -> all.add(measured(names, metric, owner, value)));
                    return all;
                });
    }

    /** Kind of the object of a series; that of the path of a host to a domain is the host. */
    private static AlertSubject.Kind kind(RegressionMetric metric) {
        return switch (FindingNames.level(metric)) {
            case SeriesOwner.DISK -> AlertSubject.Kind.DISK;
            case SeriesOwner.INTERFACE -> AlertSubject.Kind.INTERFACE;
            case SeriesOwner.VM -> AlertSubject.Kind.VM;
            default -> AlertSubject.Kind.HOST;
        };
    }

    private static Measured measured(
            FindingNames names, RegressionMetric metric, SeriesOwner owner, double value) {
        SeriesOwner.Shared object =
                new SeriesOwner.Shared(FindingNames.level(metric), owner.name());
        String domain = null;
        for (SeriesOwner.Shared each : owner.shared()) {
            if (each.level().equals(SeriesOwner.STORAGE_DOMAIN)) {
                domain = each.name();
            }
        }
        return new Measured(
                id(kind(metric), owner.name()),
                owner,
                names.vm(object),
                names.host(object),
                domain,
                value);
    }

    /** An object in words; its id if no series of a measure has it. */
    synchronized AlertSubject named(SeriesMeasure measure, UUID id) {
        boolean isDomain = measure.kind() == AlertSubject.Kind.STORAGE_DOMAIN;
        for (Measured each : series(measure.metric())) {
            String name = isDomain ? each.domain() : each.owner().name();
            UUID known = isDomain && name != null ? id(measure.kind(), name) : each.id();
            if (name != null && known.equals(id)) {
                return subject(measure.kind(), id, name, each);
            }
        }
        return new AlertSubject(measure.kind(), id, id.toString());
    }

    private AlertSubject subject(AlertSubject.Kind kind, UUID id, String name, Measured one) {
        VmId vm = one.vm();
        HostId host = one.host();
        String words = new FindingNames(fleet).of(new SeriesOwner.Shared(kind.label(), name));
        return switch (kind) {
            case VM, HOST -> subjects.named(kind, id);
            case DISK, INTERFACE ->
                    new AlertSubject(
                            kind,
                            id,
                            words,
                            vm == null ? null : vm.toUuid(),
                            vm == null && host != null ? host.value() : null);
            case STORAGE_DOMAIN, FINDING, GROUP -> new AlertSubject(kind, id, words);
        };
    }

    /** Identity of a measured object: its own, else one that is made from its kind and name. */
    static UUID id(AlertSubject.Kind kind, String name) {
        UUID own =
                kind == AlertSubject.Kind.DISK || kind == AlertSubject.Kind.INTERFACE
                        ? null
                        : uuid(name);
        return own != null
                ? own
                : UUID.nameUUIDFromBytes(
                        (kind.label() + '|' + name).getBytes(StandardCharsets.UTF_8));
    }

    private static @Nullable UUID uuid(String text) {
        try {
            return UUID.fromString(text);
        } catch (IllegalArgumentException _) {
            return null; // a storage domain of another product
        }
    }
}
