package org.stillwater.core.regression;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds the smallest object with series that share a change while their siblings do not.
 *
 * <p>Changes of one object's series are a burst if they go in one direction and begin within the
 * window. The object with the largest burst is a cause if almost all its series are in the burst;
 * of several objects with equal bursts, the smallest one is the cause. The remaining changes are
 * explained in the same way. A host is not a cause if only one in eight of its VMs changed: their
 * storage domain may be the cause.
 */
final class CauseLocator {

    /** Share of an object's series that must have changed: noise hides the change of some. */
    private static final double ALMOST_ALL = 0.7;

    private static final int FEWEST_MEMBERS = 2;

    private final Map<String, SeriesOwner> owners = new HashMap<>();
    private final Map<SeriesOwner.Shared, Integer> sizes = new HashMap<>();
    private final int window;

    private record Change(SeriesOwner owner, ChangePoint point) {

        boolean isRise() {
            return point.relativeChange() > 0;
        }
    }

    CauseLocator(Collection<SeriesOwner> all, int window) {
        if (window < 0) {
            throw new IllegalArgumentException("window is negative");
        }
        this.window = window;
        for (SeriesOwner owner : all) {
            if (owners.put(owner.name(), owner) != null) {
                throw new IllegalArgumentException("two owners are named " + owner.name());
            }
            for (SeriesOwner.Shared each : owner.shared()) {
                sizes.merge(each, 1, Integer::sum);
            }
        }
    }

    List<Regression> locate(Map<String, List<ChangePoint>> changes) {
        List<Change> all = new ArrayList<>();
        changes.forEach((name, points) -> {
            SeriesOwner owner = owners.get(name);
            if (owner == null) {
                throw new IllegalArgumentException("no owner is named " + name);
            }
            points.forEach(point -> all.add(new Change(owner, point)));
        });
        all.sort(
                Comparator.<Change>comparingLong(change -> change.point().index())
                        .thenComparing(change -> change.owner().name()));
        List<Regression> found = new ArrayList<>();
        explain(all.stream().filter(Change::isRise).toList(), found);
        explain(all.stream().filter(change -> !change.isRise()).toList(), found);
        found.sort(
                Comparator.comparingLong(Regression::index)
                        .thenComparing(each -> each.members().getFirst()));
        return List.copyOf(found);
    }

    private void explain(List<Change> changes, List<Regression> found) {
        Set<Change> open = new LinkedHashSet<>(changes);
        while (!open.isEmpty()) {
            Map<SeriesOwner.Shared, List<Change>> byObject = new LinkedHashMap<>();
            for (Change change : open) {
                for (SeriesOwner.Shared each : change.owner().shared()) {
                    byObject.computeIfAbsent(each, key -> new ArrayList<>()).add(change);
                }
            }
            SeriesOwner.Shared cause = null;
            List<Change> members = List.of();
            for (Map.Entry<SeriesOwner.Shared, List<Change>> each : byObject.entrySet()) {
                List<Change> burst = largestBurst(each.getValue());
                if (isCause(each.getKey(), burst)
                        && (cause == null
                                || burst.size() > members.size()
                                || (burst.size() == members.size()
                                        && size(each.getKey()) < size(cause)))) {
                    cause = each.getKey();
                    members = burst;
                }
            }
            if (cause == null) {
                open.forEach(change -> found.add(regression(null, List.of(change))));
                return;
            }
            found.add(regression(cause, members));
            members.forEach(open::remove);
        }
    }

    private boolean isCause(SeriesOwner.Shared object, List<Change> burst) {
        return burst.size() >= FEWEST_MEMBERS && burst.size() >= ALMOST_ALL * size(object);
    }

    /**
     * The largest group of changes that begin within the window; the changes are ordered by their
     * begins.
     */
    private List<Change> largestBurst(List<Change> changes) {
        int best = 0;
        int length = 0;
        int from = 0;
        for (int to = 0; to < changes.size(); to++) {
            while (changes.get(to).point().index() - changes.get(from).point().index() > window) {
                from++;
            }
            if (to - from + 1 > length) {
                length = to - from + 1;
                best = from;
            }
        }
        return changes.subList(best, best + length);
    }

    private int size(SeriesOwner.Shared shared) {
        return sizes.getOrDefault(shared, 0);
    }

    private static Regression regression(SeriesOwner.@Nullable Shared where, List<Change> changes) {
        List<String> members =
                changes.stream().map(change -> change.owner().name()).distinct().sorted().toList();
        long index = median(changes.stream().mapToLong(change -> change.point().index()).toArray());
        long earliest =
                median(changes.stream().mapToLong(change -> change.point().earliest()).toArray());
        long latest =
                median(changes.stream().mapToLong(change -> change.point().latest()).toArray());
        double[] sizes =
                changes.stream()
                        .mapToDouble(change -> change.point().relativeChange())
                        .sorted()
                        .toArray();
        return new Regression(where, members, index, earliest, latest, sizes[sizes.length / 2]);
    }

    private static long median(long[] values) {
        Arrays.sort(values);
        return values[values.length / 2];
    }
}
