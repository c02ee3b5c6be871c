package org.stillwater.xapi.host;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.id.VmId;
import org.stillwater.core.report.VmReport;
import org.stillwater.core.report.VmReportSink;
import org.stillwater.core.report.VmReports;
import org.stillwater.core.report.VmSample;
import org.stillwater.core.vm.VmRuntime;

/** A pool's reports on VMs of one host, taken at one moment. Immutable but for the numbers. */
final class PoolReports implements VmReports {

    /** The report on one VM. */
    sealed interface Item {
        /** The VM. */
        VmId id();

        /** It has a process on the host. */
        record Running(PoolVm vm) implements Item {
            @Override
            public VmId id() {
                return vm.id();
            }
        }

        /** Its process on the host ended. */
        record Ended(VmReport.Exited exit) implements Item {
            @Override
            public VmId id() {
                return exit.vmId();
            }
        }
    }

    /** Fills in a VM's numbers; false if there are none. */
    @FunctionalInterface
    interface Numbers {
        boolean fill(PoolVm vm, VmSample sample);
    }

    private final Kind kind;
    private final List<Item> items;
    private final long fetchedNanos;
    private final long receivedNanos;
    private final @Nullable Numbers numbers;
    private final AnalysisLimiter.Lane turns;

    /**
     * Reports.
     *
     * @param turns of the host
     * @param numbers null if there are none, as in events
     */
    PoolReports(
            AnalysisLimiter.Lane turns,
            Kind kind,
            List<Item> items,
            long fetchedNanos,
            long receivedNanos,
            @Nullable Numbers numbers) {
        this.turns = turns;
        this.kind = kind;
        this.items = items;
        this.fetchedNanos = fetchedNanos;
        this.receivedNanos = receivedNanos;
        this.numbers = numbers;
    }

    @Override
    public Kind kind() {
        return kind;
    }

    @Override
    public long fetchedNanos() {
        return fetchedNanos;
    }

    @Override
    public long receivedNanos() {
        return receivedNanos;
    }

    /** The pool's messages are about all hosts; none has a size of its own. */
    @Override
    public int sizeBytes() {
        return 0;
    }

    @Override
    public int decode(VmReportSink sink) {
        boolean turn = items.size() > AnalysisLimiter.FEW && turns.begin();
        try {
            return decodeAll(sink);
        } finally {
            if (turn) {
                turns.end();
            }
        }
    }

    private int decodeAll(VmReportSink sink) {
        VmSample sample = new VmSample();
        VmRuntime.Draft draft = new VmRuntime.Draft();
        int handed = 0;
        int looked = 0;
        for (Item item : items) {
            if (++looked % AnalysisLimiter.VMS == 0) {
                AnalysisLimiter.Lane.giveWay();
            }
            sample.clear();
            VmRuntime known = sink.known(item.id(), sample);
            if (known == null) {
                continue; // the inventory adds it, or has removed it
            }
            boolean processed =
                    switch (item) {
                        case Item.Ended(VmReport.Exited exit) -> sink.deliver(exit, null);
                        case Item.Running(PoolVm vm) -> {
                            boolean counted = numbers != null && numbers.fill(vm, sample);
                            yield sink.deliver(
                                    new VmReport.Running(
                                            vm.id(),
                                            VmReport.NO_STAMP,
                                            vm.definition().name(),
                                            vm.runtime(known, draft),
                                            null),
                                    counted ? sample : null);
                        }
                    };
            if (processed) {
                handed++;
            }
        }
        return handed;
    }

    @Override
    public void close() {
        // Nothing is held.
    }
}
