package org.stillwater.monitoring.alert;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.alert.AlertCondition;
import org.stillwater.core.alert.AlertCondition.ChangePoint;
import org.stillwater.core.alert.AlertRule;
import org.stillwater.core.alert.AlertScope;
import org.stillwater.core.alert.AlertSubject;
import org.stillwater.core.alert.SeriesMeasure;
import org.stillwater.core.host.HostStatus;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.regression.Finding;
import org.stillwater.monitoring.FleetReader;
import org.stillwater.monitoring.host.HostView;
import org.stillwater.monitoring.regression.FindingNames;
import org.stillwater.monitoring.regression.SeriesValues;
import org.stillwater.monitoring.vm.VmReading;
import org.stillwater.monitoring.vm.VmView;

/** Which objects rules watch, and their names. Any thread. */
public final class RuleSubjects {

    private static final double PERCENT = 100;

    private final FleetReader fleet;
    private final ObjectTags tags;
    private final Supplier<@Nullable List<Finding>> findings;
    private final SeriesSubjects measured;

    /**
     * Objects of a fleet.
     *
     * @param findings in memory; null until those of the engine's earlier runs are loaded
     * @param series measured numbers of disks, interfaces and storage domains
     */
    public RuleSubjects(
            FleetReader fleet,
            ObjectTags tags,
            Supplier<@Nullable List<Finding>> findings,
            SeriesValues series) {
        this.fleet = fleet;
        this.tags = tags;
        this.findings = findings;
        this.measured = new SeriesSubjects(series, fleet, this);
    }

    /** The objects of rules on measured numbers. */
    SeriesSubjects measured() {
        return measured;
    }

    /** Whether the objects of a rule have values yet, or the engine runs too short for that. */
    boolean areKnown(AlertCondition condition) {
        return switch (condition) {
            case AlertCondition.ChangePoint _ -> findings.get() != null;
            case AlertCondition.Measured _ -> measured.areKnown();
            case AlertCondition.Threshold _, AlertCondition.Absence _ -> true;
        };
    }

    /** Whether a rule watches a VM now: only while a host runs it. */
    boolean covers(AlertScope scope, @Nullable VmReading vm) {
        HostId host = vm == null ? null : vm.state().placement().runOn();
        return vm != null
                && host != null
                && (scope.isAll()
                        || scope.covers(
                                vm.definition().cluster().value(),
                                vm.id().toUuid(),
                                host.value(),
                                scope.tags().isEmpty() ? Set.of() : tags.of(vm.id())));
    }

    /** Whether a rule watches a host now: not while it is in maintenance. */
    boolean covers(AlertScope scope, @Nullable HostView host) {
        if (host == null || host.state().status() == HostStatus.MAINTENANCE) {
            return false;
        }
        HostId id = host.state().definition().id();
        return scope.isAll()
                || scope.covers(
                        host.state().definition().cluster().value(),
                        null,
                        id.value(),
                        scope.tags().isEmpty() ? Set.of() : tags.of(id));
    }

    private List<Finding> findings() {
        List<Finding> known = findings.get();
        return known == null ? List.of() : known;
    }

    /** Findings of a kind of object, open or not. */
    List<Finding> findings(ChangePoint condition) {
        List<Finding> found = new ArrayList<>();
        for (Finding each : findings()) {
            if (condition.level().equals(ChangePoint.ANY)
                    || condition.level().equals(each.where().level())) {
                found.add(each);
            }
        }
        return found;
    }

    /** The clearest change of a finding, in percent. */
    static double percent(Finding finding) {
        return PERCENT * finding.changes().getFirst().relativeChange();
    }

    /** The VMs or hosts that a rule watches now, by id. */
    List<UUID> objects(AlertRule rule) {
        List<UUID> found = new ArrayList<>();
        switch (rule.condition().kind()) {
            case VM -> {
                for (VmReading vm : fleet.readings()) {
                    if (covers(rule.scope(), vm)) {
                        found.add(vm.id().toUuid());
                    }
                }
            }
            case HOST -> {
                for (HostView host : fleet.hosts()) {
                    if (covers(rule.scope(), host)) {
                        found.add(host.state().definition().id().value());
                    }
                }
            }
            case DISK, INTERFACE, STORAGE_DOMAIN, FINDING, GROUP -> {}
        }
        found.sort(Comparator.naturalOrder());
        return found;
    }

    /** The object of a rule in words; its id if it is gone. */
    AlertSubject named(AlertCondition condition, UUID id) {
        return condition instanceof AlertCondition.Measured(SeriesMeasure measure, _, _)
                ? measured.named(measure, id)
                : named(condition.kind(), id);
    }

    /** An object in words; its id if it is gone. */
    AlertSubject named(AlertSubject.Kind kind, UUID id) {
        return new AlertSubject(
                kind,
                id,
                switch (kind) {
                    case VM -> {
                        VmView vm = fleet.vm(VmId.of(id));
                        yield vm == null ? id.toString() : vm.definition().name();
                    }
                    case HOST -> {
                        HostView host = fleet.host(new HostId(id));
                        yield host == null ? id.toString() : host.state().definition().name();
                    }
                    case FINDING -> {
                        FindingNames names = new FindingNames(fleet);
                        yield findings().stream()
                                .filter(each -> each.id().equals(id))
                                .map(each -> names.of(each.where()))
                                .findFirst()
                                .orElse(id.toString());
                    }
                    case DISK, INTERFACE, STORAGE_DOMAIN, GROUP -> id.toString();
                });
    }
}
