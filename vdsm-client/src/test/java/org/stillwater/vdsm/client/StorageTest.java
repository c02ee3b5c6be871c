package org.stillwater.vdsm.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.UUID;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.stillwater.core.connection.HostAnswer;
import org.stillwater.core.connection.HostFailure;
import org.stillwater.core.connection.HostStorage;
import org.stillwater.core.connection.StorageTask;
import org.stillwater.core.definition.MemoryVolume;
import org.stillwater.core.definition.VmLease;
import org.stillwater.core.id.VmId;

/** Calls about volumes and tasks, as VDSM's API has them. */
@Timeout(60)
class StorageTest {

    private static final MemoryVolume VOLUME =
            new MemoryVolume(new UUID(0, 1), new UUID(0, 2), new UUID(0, 3), new UUID(0, 4));
    private static final String NONE = new UUID(0, 0).toString();

    /** The call to the host, and the interpretation of its answer. */
    private record Exchange(String method, String params, Object understood) {}

    private static <T> Exchange exchange(Consumer<Ask<T>> call, Reply reply) throws Exception {
        try (ScriptedHost host = new ScriptedHost();
                Engine engine = Engine.connectedTo(host)) {
            ScriptedHost.Peer peer = host.session();
            engine.expect("connected");
            call.accept(new Ask<>(engine.connection.storage(), engine.answers::add));
            ScriptedHost.Request request = peer.request();
            reply.to(request);
            String text = request.body();
            String params =
                    text.substring(
                            text.indexOf("\"params\":") + "\"params\":".length(),
                            text.lastIndexOf(",\"id\""));
            Object answer = engine.answer();
            return new Exchange(
                    request.method(),
                    params,
                    switch (answer) {
                        case HostAnswer.Success<?>(Object value) -> value;
                        case HostAnswer.Failed<?>(HostFailure failure) -> failure;
                        default -> answer;
                    });
        }
    }

    /** How a host answers. */
    private interface Reply {
        void to(ScriptedHost.Request request) throws Exception;
    }

    private record Ask<T>(HostStorage storage, Consumer<HostAnswer<T>> receiver) {}

    @Test
    void theManagerOfThePoolIsRecognized() throws Exception {
        for (String status : new String[] {"SPM", "Free", "Contend"}) {
            Exchange exchange =
                    StorageTest.<Boolean>exchange(
                            ask -> ask.storage().isManager(VOLUME.pool(), ask.receiver()),
                            request ->
                                    request.answer(
                                            "{\"spmId\": 1, \"spmStatus\": \"%s\", \"spmLver\": 7}"
                                                    .formatted(status)));
            assertThat(exchange)
                    .isEqualTo(
                            new Exchange(
                                    "StoragePool.getSpmStatus",
                                    "{\"storagepoolID\":\"" + VOLUME.pool() + "\"}",
                                    status.equals("SPM")));
        }
    }

    @Test
    void aVolumeIsCreatedRawAndPreallocated() throws Exception {
        Exchange exchange =
                StorageTest.<String>exchange(
                        ask ->
                                ask.storage()
                                        .createVolume(
                                                VOLUME,
                                                1_300_234_240,
                                                HostStorage.Content.MEMORY,
                                                ask.receiver()),
                        request -> request.answer("\"5f0c\""));
        assertThat(exchange)
                .isEqualTo(
                        new Exchange(
                                "Volume.create",
                                "{\"storagepoolID\":\"%s\",\"storagedomainID\":\"%s\",\"imageID\":\"%s\","
                                                .formatted(
                                                        VOLUME.pool(),
                                                        VOLUME.domain(),
                                                        VOLUME.image())
                                        + "\"volumeID\":\"%s\",\"size\":\"1300234240\",\"volFormat\":5,"
                                                .formatted(VOLUME.volume())
                                        + "\"preallocate\":1,\"diskType\":\"MEMD\",\"desc\":\"\","
                                        + "\"srcImgUUID\":\"%s\",\"srcVolUUID\":\"%s\"}"
                                                .formatted(NONE, NONE),
                                "5f0c"));
    }

    private static final VmId VM = new VmId(0, 9);
    private static final String LEASE =
            "{\"lease\":{\"sd_id\":\"%s\",\"lease_id\":\"%s\"}}".formatted(VOLUME.domain(), VM);

    @Test
    void aLeaseIsCreatedAndDeletedByTasks() throws Exception {
        assertThat(
                        StorageTest.<String>exchange(
                                ask ->
                                        ask.storage()
                                                .createLease(VOLUME.domain(), VM, ask.receiver()),
                                request -> request.answer("\"5f0c\"")))
                .isEqualTo(new Exchange("Lease.create", LEASE, "5f0c"));
        assertThat(
                        StorageTest.<String>exchange(
                                ask ->
                                        ask.storage()
                                                .deleteLease(VOLUME.domain(), VM, ask.receiver()),
                                request -> request.answer("\"5f0d\"")))
                .isEqualTo(new Exchange("Lease.delete", LEASE, "5f0d"));
    }

    private static Exchange leaseInfo(String result) throws Exception {
        return StorageTest.<VmLease.Place>exchange(
                ask -> ask.storage().lease(VOLUME.domain(), VM, ask.receiver()),
                request -> request.answer(result));
    }

    @Test
    void aHostReturnsTheLocationOfALease() throws Exception {
        assertThat(
                        leaseInfo(
                                "{\"sd_id\": \"%s\", \"lease_id\": \"%s\", \"path\": \"/dev/x/xleases\", \"offset\": 3145728}"
                                        .formatted(VOLUME.domain(), VM)))
                .isEqualTo(
                        new Exchange(
                                "Lease.info",
                                LEASE,
                                new VmLease.Place("/dev/x/xleases", 3_145_728)));
    }

    @Test
    void thePlaceOfAnotherLeaseOrNoPlaceIsNoAnswer() throws Exception {
        assertThat(
                        leaseInfo(
                                        "{\"sd_id\": \"%s\", \"lease_id\": \"%s\", \"path\": \"/x\", \"offset\": 3145728}"
                                                .formatted(VOLUME.pool(), VM))
                                .understood())
                .isInstanceOf(HostFailure.ProtocolViolation.class);
        assertThat(
                        leaseInfo(
                                        "{\"sd_id\": \"%s\", \"lease_id\": \"%s\", \"path\": \"/x\"}"
                                                .formatted(VOLUME.domain(), VM))
                                .understood())
                .isInstanceOf(HostFailure.ProtocolViolation.class);
    }

    @Test
    void aVolumeForTheRestHasAnotherType() throws Exception {
        Exchange exchange =
                StorageTest.<String>exchange(
                        ask ->
                                ask.storage()
                                        .createVolume(
                                                VOLUME,
                                                10_240,
                                                HostStorage.Content.CONFIGURATION,
                                                ask.receiver()),
                        request -> request.error("{\"code\": 654, \"message\": \"Not SPM\"}"));
        assertThat(exchange.params()).contains("\"size\":\"10240\"").contains("\"MEMM\"");
        assertThat(exchange.understood()).isEqualTo(new HostFailure.Refused(654, "Not SPM"));
    }

    @Test
    void anImageIsDeletedWithoutBeingOverwritten() throws Exception {
        Exchange exchange =
                StorageTest.<String>exchange(
                        ask -> ask.storage().deleteImage(VOLUME, ask.receiver()),
                        request -> request.answer("\"77\""));
        assertThat(exchange)
                .isEqualTo(
                        new Exchange(
                                "Image.delete",
                                "{\"storagepoolID\":\"%s\",\"storagedomainID\":\"%s\",\"imageID\":\"%s\","
                                                .formatted(
                                                        VOLUME.pool(),
                                                        VOLUME.domain(),
                                                        VOLUME.image())
                                        + "\"postZero\":false,\"force\":false}",
                                "77"));
    }

    @Test
    void onlySuccessOfAFinishedTaskIsSuccess() throws Exception {
        assertThat(task("running", "", 0)).isEqualTo(new StorageTask(false, false, 0, "m"));
        assertThat(task("finished", "success", 0)).isEqualTo(new StorageTask(true, true, 0, "m"));
        assertThat(task("finished", "cleanSuccess", 212))
                .isEqualTo(new StorageTask(true, false, 212, "m"));
        assertThat(task("aborting", "", 0)).isEqualTo(new StorageTask(false, false, 0, "m"));
    }

    private static Object task(String state, String result, int code) throws Exception {
        Exchange exchange =
                StorageTest.<StorageTask>exchange(
                        ask -> ask.storage().task("5f0c", ask.receiver()),
                        request ->
                                request.answer(
                                        ("{\"code\": %d, \"message\": \"m\", \"taskID\": \"5f0c\","
                                             + " \"taskState\": \"%s\", \"taskResult\": \"%s\"}")
                                                .formatted(code, state, result)));
        assertThat(exchange.method()).isEqualTo("Task.getStatus");
        assertThat(exchange.params()).isEqualTo("{\"taskID\":\"5f0c\"}");
        return exchange.understood();
    }

    @Test
    void aTaskIsCleared() throws Exception {
        assertThat(
                        StorageTest.<String>exchange(
                                ask -> ask.storage().clearTask("5f0c", ask.receiver()),
                                request -> request.answer("true")))
                .isEqualTo(new Exchange("Task.clear", "{\"taskID\":\"5f0c\"}", "5f0c"));
    }

    @Test
    void anAnswerWithoutATaskIsNoAnswer() throws Exception {
        Exchange exchange =
                StorageTest.<String>exchange(
                        ask -> ask.storage().deleteImage(VOLUME, ask.receiver()),
                        request -> request.answer("{}"));
        assertThat(exchange.understood()).isInstanceOf(HostFailure.ProtocolViolation.class);
    }
}
