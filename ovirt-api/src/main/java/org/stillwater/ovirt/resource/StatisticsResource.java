package org.stillwater.ovirt.resource;

import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import org.stillwater.ovirt.model.Entity;
import org.stillwater.ovirt.model.Reference;
import org.stillwater.ovirt.model.Statistic;

/** Statistics of an entity (chapter 3.8). */
final class StatisticsResource<P> extends Resource<P, Reading> {

    /** Owner of the numbers: decides which reference leads back. */
    enum Owner {
        VM(Kind.VM),
        HOST(Kind.HOST),
        NIC(Kind.NIC),
        HOST_NIC(Kind.HOST_NIC),
        DISK(Kind.DISK),
        HOST_NUMA_NODE(Kind.HOST_NUMA_NODE),
        STEP(Kind.STEP);

        private final Kind kind;

        Owner(Kind kind) {
            this.kind = kind;
        }
    }

    private final Owner owner;
    private final BiFunction<Scope, P, List<Reading>> readings;

    StatisticsResource(Owner owner, BiFunction<Scope, P, List<Reading>> readings) {
        super(Kind.STATISTIC, Map.of(owner.kind.item(), owner.kind));
        this.owner = owner;
        this.readings = readings;
    }

    @Override
    List<Reading> list(Scope scope, P parent) {
        return readings.apply(scope, parent);
    }

    @Override
    String id(Reading item) {
        return item.measure().id();
    }

    @Override
    boolean isLive() {
        return true;
    }

    @Override
    boolean isBounded() {
        return false;
    }

    @Override
    Statistic tell(Scope scope, At<P, Reading> at) {
        Measure measure = at.item().measure();
        return new Statistic(
                measure.id(),
                at.href(),
                measure.name(),
                measure.description(),
                measure.kind(),
                measure.type(),
                measure.unit(),
                at.item().values(),
                back(Owner.DISK, at),
                // The reference engine leaves it out for huge pages, and clients count on nothing.
                measure.name().startsWith("hugepages.") ? null : back(Owner.HOST, at),
                back(Owner.HOST_NIC, at),
                back(Owner.HOST_NUMA_NODE, at),
                back(Owner.NIC, at),
                back(Owner.VM, at));
    }

    private @Nullable Entity back(Owner wanted, At<P, Reading> at) {
        if (owner != wanted) {
            return null;
        }
        String href = at.parentHref();
        return new Reference(href.substring(href.lastIndexOf('/') + 1), href);
    }
}
