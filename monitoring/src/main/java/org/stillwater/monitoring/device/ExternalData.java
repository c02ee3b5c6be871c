package org.stillwater.monitoring.device;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stillwater.core.model.ExternalDataKind;
import org.stillwater.core.model.VmId;
import org.stillwater.core.port.ExternalDataAnswer;
import org.stillwater.core.port.ExternalDataUpdate;
import org.stillwater.core.port.HostAnswer;
import org.stillwater.core.port.HostConnection;
import org.stillwater.core.port.HostFailure;
import org.stillwater.core.port.WriteOutcome;
import org.stillwater.core.report.ReportedText;
import org.stillwater.core.report.VmReport;
import org.stillwater.monitoring.observe.Complaints;
import org.stillwater.monitoring.vm.VmExternalData;
import org.stillwater.monitoring.vm.VmManager;
import org.stillwater.monitoring.write.StoreTask;

/**
 * Saves what one host's VMs keep outside their disks, TPM and NVRAM: while a VM runs when a
 * reported hash is not the saved one, and once more when it has stopped (monitoring specification
 * §4.6.1, §4.9, §6.5). The data is secret: it goes from the host to the database and is neither
 * kept nor logged. Used by the host's thread only.
 */
public final class ExternalData {

    private static final Logger LOG = LoggerFactory.getLogger(ExternalData.class);

    private final DeviceServices services;
    private final HostThread thread;
    private final Complaints complaints;
    private final int limit;
    private final int concurrent;
    private final Deque<Fetch> waiting = new ArrayDeque<>();
    private final List<Fetched> fetched = new ArrayList<>();
    private final AtomicInteger open = new AtomicInteger();
    private final long mostCharacters;
    private int calls;

    /** Characters of data that was fetched and is not saved yet. */
    private long characters;

    /** One kind of one VM's data that is to be fetched. */
    private record Fetch(VmManager vm, ExternalDataKind kind, boolean last, Runnable whenDone) {}

    /** Data on its way to the database. */
    private record Fetched(Fetch fetch, ExternalDataUpdate update) {}

    /**
     * Nothing is to be fetched.
     *
     * @param limit fetches that may wait at most
     * @param concurrent calls that may be under way at once
     */
    public ExternalData(
            DeviceServices services,
            HostThread thread,
            Complaints complaints,
            int limit,
            int concurrent) {
        this.services = services;
        this.thread = thread;
        this.complaints = complaints;
        this.limit = limit;
        this.concurrent = concurrent;
        this.mostCharacters = (long) concurrent * ReportedText.EXTERNAL_DATA.mostCharacters();
    }

    /** A VM that is at home here was reported; under its lock. */
    public void reported(VmManager vm, VmReport.Running running) {
        note(vm, ExternalDataKind.TPM, running.tpmHash());
        note(vm, ExternalDataKind.NVRAM, running.nvramHash());
    }

    private void note(VmManager vm, ExternalDataKind kind, @Nullable String hash) {
        if (hash != null
                && !hash.isEmpty()
                && vm.externalData().reported(kind, hash)
                && waiting.size() < limit
                && vm.externalData().begin(kind)) {
            open.incrementAndGet();
            waiting.add(new Fetch(vm, kind, false, () -> {}));
        }
    }

    /**
     * A VM has stopped here: fetches the last state of its data, unless that is being done. A
     * failure counts as one of its attempts. Under its lock; the host is called later.
     *
     * @param whenDone told once all of it is saved or given up; on the host's thread
     */
    public void save(VmManager vm, Runnable whenDone) {
        for (ExternalDataKind kind : vm.externalData().unfinished()) {
            if (vm.externalData().begin(kind)) {
                open.incrementAndGet();
                waiting.addFirst(new Fetch(vm, kind, true, whenDone));
            }
        }
        thread.run("external data", this::ask);
    }

    /** Number of kinds of data that wait, are fetched or are being saved. Any thread. */
    public int open() {
        return open.get();
    }

    /**
     * Asks the host for what waits, but not while as much as its calls may bring at once still
     * waits for the database: what a host sends must not fill the memory.
     */
    public void ask() {
        HostConnection open = thread.connection();
        while (open != null
                && calls < concurrent
                && characters < mostCharacters
                && !waiting.isEmpty()) {
            Fetch fetch = waiting.remove();
            calls++;
            open.externalData(
                    fetch.vm().id(),
                    fetch.kind(),
                    fetch.vm().externalData().savedHash(fetch.kind()),
                    fetch.last(),
                    answer -> thread.run("external data", () -> answered(fetch, answer)));
        }
    }

    private void answered(Fetch fetch, HostAnswer<ExternalDataAnswer> answer) {
        calls--;
        VmExternalData known = fetch.vm().externalData();
        switch (answer) {
            case HostAnswer.Success<ExternalDataAnswer>(ExternalDataAnswer(var hash, var data)) -> {
                if (data != null && !data.isEmpty() && !hash.isEmpty()) {
                    fetched.add(
                            new Fetched(
                                    fetch,
                                    new ExternalDataUpdate(
                                            fetch.vm().id(), fetch.kind(), hash, data)));
                    characters += data.length();
                } else if (hash.equals(known.savedHash(fetch.kind()))) {
                    saved(fetch, hash);
                } else {
                    failed(fetch, "the host answered without data");
                }
            }
            case HostAnswer.Failed<ExternalDataAnswer>(HostFailure failure) ->
                    failed(fetch, failure.describe());
        }
        ask();
        if (!fetched.isEmpty() && (calls == 0 || fetched.size() >= limit)) {
            services.writer().perform(new Saving(fetched));
            fetched.clear();
        }
    }

    private void saved(Fetch fetch, String hash) {
        open.decrementAndGet();
        fetch.vm().externalData().saved(fetch.kind(), hash, fetch.last());
        tell(fetch);
    }

    private void failed(Fetch fetch, String reason) {
        open.decrementAndGet();
        boolean givenUp = fetch.vm().externalData().failed(fetch.kind(), fetch.last());
        if (givenUp) {
            LOG.warn(
                    "vm={} {} data of the stopped VM is given up after {} attempts: {}",
                    fetch.vm().id(),
                    fetch.kind(),
                    VmExternalData.MOST_ATTEMPTS,
                    reason);
            tell(fetch);
        } else {
            complaints.about(
                    "external data failed",
                    "vm=" + fetch.vm().id() + " " + fetch.kind() + ": " + reason);
        }
    }

    private static void tell(Fetch fetch) {
        if (fetch.last() && !fetch.vm().externalDataUnsaved()) {
            fetch.whenDone().run();
        }
    }

    private final class Saving implements StoreTask {
        private final List<Fetched> batch;
        private final long size;

        Saving(List<Fetched> batch) {
            this.batch =
                    batch.stream()
                            .sorted(
                                    Comparator.comparing((Fetched one) -> one.update().vmId())
                                            .thenComparing(one -> one.update().kind()))
                            .toList();
            this.size = batch.stream().mapToLong(one -> one.update().data().length()).sum();
        }

        /** The data is let go of; there is room for more. */
        private void done() {
            characters -= size;
            ask();
        }

        @Override
        public WriteOutcome write() {
            return services.externalData().save(batch.stream().map(Fetched::update).toList());
        }

        @Override
        public void written(WriteOutcome.Written outcome) {
            Set<String> refused = new HashSet<>();
            outcome.rejected().forEach(row -> refused.add(row.key()));
            thread.run(
                    "external data saved",
                    () -> {
                        for (Fetched one : batch) {
                            VmId id = one.update().vmId();
                            if (refused.contains(Objects.toString(id))) {
                                failed(one.fetch(), "refused by the database");
                            } else {
                                saved(one.fetch(), one.update().hash());
                            }
                        }
                        done();
                    });
        }

        @Override
        public void abandoned() {
            thread.run(
                    "external data not saved",
                    () -> {
                        batch.forEach(one -> failed(one.fetch(), "it could not be written"));
                        done();
                    });
        }
    }
}
