package org.stillwater.core.regression;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One change that one or more series show; each cause gives one.
 *
 * @param where the object that its members share and their siblings do not, or null if a single
 *     series changed
 * @param members names of the owners of the series that changed, sorted
 * @param index median of the members' begins
 * @param earliest median of the first points of the members' intervals
 * @param latest median of the last points of those intervals
 * @param relativeChange median of the members' changes
 */
public record Regression(
        SeriesOwner.@Nullable Shared where,
        List<String> members,
        long index,
        long earliest,
        long latest,
        double relativeChange) {

    public Regression {
        members = List.copyOf(members);
    }

    /**
     * Groups change points by cause.
     *
     * @param owners all owners of series, including those without a change: unchanged siblings
     *     limit a cause
     * @param changes change points by name of the owner; all series have one time axis
     * @param window largest distance between begins of one cause, in points
     * @return the causes, earliest first
     */
    public static List<Regression> perCause(
            Collection<SeriesOwner> owners, Map<String, List<ChangePoint>> changes, int window) {
        return new CauseLocator(owners, window).locate(changes);
    }
}
