package org.stillwater.monitoring.regression;

import org.jspecify.annotations.Nullable;
import org.stillwater.core.regression.FleetSeries;
import org.stillwater.core.regression.MeasuredSeries;
import org.stillwater.core.regression.RegressionMetric;
import org.stillwater.core.regression.SeriesOwner;

/**
 * A measured part of a VM, such as a disk. Its name, and the names of its dependencies, are made
 * with its first series: of a large fleet, most parts never have one.
 */
abstract class MeasuredPart {
    private @Nullable SeriesOwner owner;

    /** The fleet had no room for a series of this part at the last request. */
    private boolean refused;

    abstract SeriesOwner named();

    private SeriesOwner owner() {
        SeriesOwner known = owner;
        if (known == null) {
            known = named();
            owner = known;
        }
        return known;
    }

    abstract @Nullable MeasuredSeries kept(RegressionMetric metric);

    abstract void keep(RegressionMetric metric, @Nullable MeasuredSeries series);

    /** A series of this part; null if there are too many. */
    final @Nullable MeasuredSeries of(RegressionMetric metric, FleetSeries series) {
        MeasuredSeries kept = kept(metric);
        if (kept != null && !kept.isDropped()) {
            return kept;
        }
        MeasuredSeries found = null;
        if (refused && series.isFull()) {
            series.refuse();
        } else {
            found = series.get(metric, owner());
            refused = found == null;
        }
        if (refused) {
            owner = null;
        }
        if (found != kept) {
            // Only then: the collector checks each object in which a reference was written.
            keep(metric, found);
        }
        return found;
    }

    /** It depends on other objects from now on. */
    final void moved(RegressionMetric... metrics) {
        owner = null;
        for (RegressionMetric metric : metrics) {
            MeasuredSeries kept = kept(metric);
            if (kept != null) {
                kept.moved(owner());
            }
        }
    }
}
