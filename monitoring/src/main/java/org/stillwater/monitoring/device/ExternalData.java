package org.stillwater.monitoring.device;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stillwater.core.connection.ExternalDataAnswer;
import org.stillwater.core.connection.HostAnswer;
import org.stillwater.core.connection.HostConnection;
import org.stillwater.core.connection.HostFailure;
import org.stillwater.core.connection.RefusalCode;
import org.stillwater.core.definition.ExternalDataKind;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.report.ReportedText;
import org.stillwater.core.report.VmReport;
import org.stillwater.core.store.ExternalDataUpdate;
import org.stillwater.monitoring.observe.ThrottledLog;
import org.stillwater.monitoring.vm.VmExternalData;
import org.stillwater.monitoring.vm.VmManager;

/**
 * Saves the data that one host's VMs keep outside their disks, TPM and NVRAM: while a VM runs if
 * the reported hash differs from the saved one, and once more after its stop (monitoring
 * specification §4.6.1, §4.9, §6.5). The host's answer counts only while the host is responsible
 * for the VM and no other host got a request. The data is secret: it goes from the host to the
 * database and is neither kept nor logged. Used by the host's thread only.
 */
public final class ExternalData {

    private static final Logger LOG = LoggerFactory.getLogger(ExternalData.class);

    private final HostId host;
    private final DeviceServices services;
    private final HostThread thread;
    private final ThrottledLog warnings;
    private final int limit;
    private final int concurrent;
    private final Deque<Fetch> waiting = new ArrayDeque<>();
    private final List<Fetched> fetched = new ArrayList<>();
    private final AtomicInteger open = new AtomicInteger();
    private final long mostCharacters;
    private int calls;

    /** Characters of data that was fetched and is not saved yet. */
    private long characters;

    /** One kind of a VM's data to fetch. */
    private record Fetch(VmManager vm, ExternalDataKind kind, boolean last, Runnable whenDone) {}

    /** Data that the host gave. */
    private record Fetched(Fetch fetch, ExternalDataUpdate update) {}

    /**
     * Has no fetches.
     *
     * @param host the host to call
     * @param limit most waiting fetches
     * @param concurrent most parallel calls
     */
    public ExternalData(
            HostId host,
            DeviceServices services,
            HostThread thread,
            ThrottledLog warnings,
            int limit,
            int concurrent) {
        this.host = host;
        this.services = services;
        this.thread = thread;
        this.warnings = warnings;
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
                && vm.externalData().reported(kind, hash, host)
                && waiting.size() < limit
                && vm.externalData().begin(kind, host)) {
            open.incrementAndGet();
            waiting.add(new Fetch(vm, kind, false, () -> {}));
        }
    }

    /**
     * A VM has stopped here: fetches the last state of its data, unless a fetch is running. A
     * failure counts as one of its attempts. Under its lock; the call follows later.
     *
     * @param whenDone called when all of it is saved or abandoned; on the host's thread
     */
    public void save(VmManager vm, Runnable whenDone) {
        for (ExternalDataKind kind : vm.externalData().unfinished(host)) {
            if (vm.externalData().begin(kind, host)) {
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
     * Asks the host for waiting VMs, unless data of the size that its calls may bring at once
     * already waits for the database: data from a host must not fill the memory.
     */
    public void ask() {
        HostConnection open = thread.connection();
        while (open != null
                && calls < concurrent
                && characters < mostCharacters
                && !waiting.isEmpty()) {
            Fetch fetch = waiting.remove();
            if (isVoid(fetch)) {
                letGo(fetch);
                continue;
            }
            calls++;
            open.externalData(
                    fetch.vm().id(),
                    fetch.kind(),
                    fetch.vm().externalData().savedHash(fetch.kind()),
                    fetch.last(),
                    answer -> thread.run("external data", () -> answered(fetch, answer)));
        }
    }

    /**
     * Whether another host got a later request, or has the VM by now. A VM that has stopped here
     * may have been thought to be elsewhere, and is requested here.
     */
    private boolean isVoid(Fetch fetch) {
        if (!fetch.vm().externalData().isAsked(fetch.kind(), host)) {
            return true;
        }
        HostId responsible = fetch.vm().state().placement().runOn();
        return !fetch.last() && responsible != null && !responsible.equals(host);
    }

    private void letGo(Fetch fetch) {
        open.decrementAndGet();
        fetch.vm().externalData().letGo(fetch.kind(), host);
    }

    private void answered(Fetch fetch, HostAnswer<ExternalDataAnswer> answer) {
        calls--;
        if (isVoid(fetch)) {
            letGo(fetch);
        } else {
            take(fetch, answer);
        }
        ask();
        if (!fetched.isEmpty() && (calls == 0 || fetched.size() >= limit)) {
            save();
        }
    }

    /** Data of a VM that has left the host by now is not saved. */
    private void save() {
        List<Fetched> batch = new ArrayList<>(fetched.size());
        for (Fetched one : fetched) {
            if (isVoid(one.fetch())) {
                characters -= one.update().data().length();
                letGo(one.fetch());
            } else {
                batch.add(one);
            }
        }
        fetched.clear();
        if (!batch.isEmpty()) {
            services.externalData()
                    .save(batch.stream().map(Fetched::update).toList(), new Saving(batch));
        }
    }

    private void take(Fetch fetch, HostAnswer<ExternalDataAnswer> answer) {
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
                    failed(fetch, "the host answered without data", false);
                }
            }
            case HostAnswer.Failed<ExternalDataAnswer>(HostFailure failure) ->
                    failed(fetch, failure.describe(), isCertain(failure));
        }
    }

    /** A host without the VM or the verb will not have the data later either. */
    private static boolean isCertain(HostFailure failure) {
        return failure instanceof HostFailure.Refused refused
                && (refused.code() == RefusalCode.NO_SUCH_VM
                        || refused.code() == RefusalCode.NO_SUCH_VERB);
    }

    private void saved(Fetch fetch, String hash) {
        open.decrementAndGet();
        fetch.vm().externalData().saved(fetch.kind(), host, hash, fetch.last());
        tell(fetch);
    }

    private void failed(Fetch fetch, String reason, boolean certain) {
        open.decrementAndGet();
        boolean givenUp =
                fetch.vm().externalData().failed(fetch.kind(), host, fetch.last(), certain);
        if (givenUp) {
            LOG.warn(
                    "vm={} {} data of the stopped VM is given up: {}",
                    fetch.vm().id(),
                    fetch.kind(),
                    reason);
            tell(fetch);
        } else {
            warnings.about(
                    "external data failed",
                    "vm=" + fetch.vm().id() + " " + fetch.kind() + ": " + reason);
        }
    }

    private static void tell(Fetch fetch) {
        if (fetch.last() && !fetch.vm().externalDataUnsaved()) {
            fetch.whenDone().run();
        }
    }

    /** Data on its way to the database. */
    private final class Saving implements ExternalDataSaves.Receiver {
        private final List<Fetched> batch;
        private final long size;

        Saving(List<Fetched> batch) {
            this.batch = batch;
            this.size = batch.stream().mapToLong(one -> one.update().data().length()).sum();
        }

        /** The data is released; there is room for more. */
        private void done() {
            characters -= size;
            ask();
        }

        @Override
        public void saved(Set<String> refused) {
            thread.run(
                    "external data saved",
                    () -> {
                        for (Fetched one : batch) {
                            VmId id = one.update().vmId();
                            if (refused.contains(Objects.toString(id))) {
                                failed(one.fetch(), "refused by the database", false);
                            } else {
                                ExternalData.this.saved(one.fetch(), one.update().hash());
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
                        batch.forEach(one -> failed(one.fetch(), "it could not be written", false));
                        done();
                    });
        }
    }
}
