package org.stillwater.monitoring.vm;

import org.stillwater.core.history.HistoryMetric;
import org.stillwater.core.history.HistoryMetric.Subject;

/** Room for one sample of a VM's history; one thread uses it again for the next sample. */
public final class HistoryScratch {

    private static final int METRICS = HistoryMetric.of(Subject.VM).size();

    final double[] values = new double[METRICS];
    final char[] codes = new char[METRICS];
}
