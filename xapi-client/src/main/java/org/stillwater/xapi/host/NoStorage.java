package org.stillwater.xapi.host;

import java.util.UUID;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.stillwater.core.connection.HostAnswer;
import org.stillwater.core.connection.HostFailure;
import org.stillwater.core.connection.HostStorage;
import org.stillwater.core.connection.RefusalCode;
import org.stillwater.core.connection.StorageTask;
import org.stillwater.core.definition.MemoryVolume;
import org.stillwater.core.definition.VmLease;
import org.stillwater.core.id.VmId;

/** A pool keeps its storage itself: everything is refused by name. */
record NoStorage(Executor threads) implements HostStorage {

    private <T> void refuse(Consumer<HostAnswer<T>> receiver) {
        HostAnswer<T> refusal =
                new HostAnswer.Failed<>(
                        new HostFailure.Refused(
                                RefusalCode.NO_SUCH_VERB,
                                "XAPI pools keep their storage themselves"));
        try {
            threads.execute(() -> receiver.accept(refusal));
        } catch (RejectedExecutionException _) {
            receiver.accept(refusal);
        }
    }

    @Override
    public void isManager(UUID pool, Consumer<HostAnswer<Boolean>> receiver) {
        refuse(receiver);
    }

    @Override
    public void createVolume(
            MemoryVolume volume,
            long bytes,
            Content content,
            Consumer<HostAnswer<String>> receiver) {
        refuse(receiver);
    }

    @Override
    public void deleteImage(MemoryVolume volume, Consumer<HostAnswer<String>> receiver) {
        refuse(receiver);
    }

    @Override
    public void createLease(UUID domain, VmId vm, Consumer<HostAnswer<String>> receiver) {
        refuse(receiver);
    }

    @Override
    public void deleteLease(UUID domain, VmId vm, Consumer<HostAnswer<String>> receiver) {
        refuse(receiver);
    }

    @Override
    public void lease(UUID domain, VmId vm, Consumer<HostAnswer<VmLease.Place>> receiver) {
        refuse(receiver);
    }

    @Override
    public void task(String task, Consumer<HostAnswer<StorageTask>> receiver) {
        refuse(receiver);
    }

    @Override
    public void clearTask(String task, Consumer<HostAnswer<String>> receiver) {
        refuse(receiver);
    }
}
