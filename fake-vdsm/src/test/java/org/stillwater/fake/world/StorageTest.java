package org.stillwater.fake.world;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.stillwater.fake.world.Lab.Told;
import tools.jackson.databind.JsonNode;

/** Volumes, the tasks that make them, and VMs that are saved to them. */
class StorageTest {

    private static final String POOL = "5f6e7d8c-9b0a-41f2-83e4-d5c6b7a89f01";
    private static final String FILES = "0d9c8b7a-6f5e-4d3c-8b2a-1f0e9d8c7b6a";
    private static final String BLOCKS = "f1b2c3d4-0a1b-4c2d-8e3f-a1b2c3d4e5f6";
    private static final String BLANK = "00000000-0000-0000-0000-000000000000";
    private static final String MEMORY_IMAGE = "11111111-0000-4000-8000-000000000001";
    private static final String MEMORY_VOLUME = "11111111-0000-4000-8000-000000000002";
    private static final String CONF_IMAGE = "11111111-0000-4000-8000-000000000003";
    private static final String CONF_VOLUME = "11111111-0000-4000-8000-000000000004";
    private static final UUID VM = new UUID(0x1234_4000_8000_4000L, 0x8000_0000_0000_0001L);

    private final Lab lab = Lab.of(2, 0);

    // ---- volumes and tasks

    private static String volume(String domain, String image, String volume, String more) {
        return """
        {"volumeID": "%s", "storagepoolID": "%s", "storagedomainID": "%s", "imageID": "%s",
         "size": "1048576", "volFormat": 5, "preallocate": 1, "diskType": "MEMD", "desc": "",
         "srcImgUUID": "%s", "srcVolUUID": "%s"%s}
        """
                .formatted(volume, POOL, domain, image, BLANK, BLANK, more);
    }

    private String create(String image, String volume) {
        return lab.result(0, "Volume.create", volume(FILES, image, volume, "")).asString();
    }

    private JsonNode status(String task) {
        return lab.result(0, "Task.getStatus", "{\"taskID\": \"%s\"}".formatted(task));
    }

    private void createBoth() {
        String memory = create(MEMORY_IMAGE, MEMORY_VOLUME);
        String configuration = create(CONF_IMAGE, CONF_VOLUME);
        lab.pass(2);
        for (String task : List.of(memory, configuration)) {
            assertThat(status(task).get("taskResult").asString()).isEqualTo("success");
            assertThat(lab.ask(0, "Task.clear", "{\"taskID\": \"%s\"}".formatted(task)).text())
                    .isEqualTo("true");
        }
    }

    private static String image(String image) {
        return """
        {"imageID": "%s", "storagepoolID": "%s", "storagedomainID": "%s", "postZero": false,
         "force": false}
        """
                .formatted(image, POOL, FILES);
    }

    @Test
    @DisplayName("a volume is made by a task that runs, finishes and is cleared")
    void aVolumeIsMadeByATask() {
        String task = create(MEMORY_IMAGE, MEMORY_VOLUME);
        assertThat(UUID.fromString(task)).isNotNull();
        JsonNode running = status(task);
        assertThat(Shape.keys(running))
                .containsExactly("taskID", "taskState", "taskResult", "code", "message");
        assertThat(running.get("taskState").asString()).isEqualTo("running");
        assertThat(running.get("taskResult").asString()).isEmpty();
        assertThat(lab.ask(0, "Task.clear", "{\"taskID\": \"%s\"}".formatted(task)).code())
                .as("while it runs")
                .isEqualTo(410);
        assertThat(lab.result(0, "Image.getVolumes", image(MEMORY_IMAGE))).isEmpty();
        lab.pass(2);
        JsonNode finished = status(task);
        assertThat(finished.get("taskState").asString()).isEqualTo("finished");
        assertThat(finished.get("taskResult").asString()).isEqualTo("success");
        assertThat(finished.get("code").asInt()).isZero();
        assertThat(finished.get("message").asString()).isEqualTo("1 jobs completed successfully");
        assertThat(lab.result(0, "Image.getVolumes", image(MEMORY_IMAGE)).get(0).asString())
                .isEqualTo(MEMORY_VOLUME);
        assertThat(lab.result(0, "Host.getAllTasksStatuses").get(task)).isEqualTo(finished);
        assertThat(lab.result(0, "Host.getAllTasksInfo").get(task).get("verb").asString())
                .isEqualTo("createVolume");
        lab.result(0, "Task.clear", "{\"taskID\": \"%s\"}".formatted(task));
        assertThat(lab.ask(0, "Task.getStatus", "{\"taskID\": \"%s\"}".formatted(task)).code())
                .isEqualTo(401);
    }

    @Test
    @DisplayName("a volume that is there already fails its task, not the call")
    void aVolumeIsMadeOnce() {
        createBoth();
        String task = create(MEMORY_IMAGE, MEMORY_VOLUME);
        lab.pass(2);
        JsonNode failed = status(task);
        assertThat(failed.get("taskState").asString()).isEqualTo("finished");
        assertThat(failed.get("taskResult").asString()).isEqualTo("cleanSuccess");
        assertThat(failed.get("code").asInt()).isEqualTo(212);
        assertThat(failed.get("message").asString())
                .isEqualTo("Volume already exists: ('%s',)".formatted(MEMORY_VOLUME));
    }

    @Test
    @DisplayName("a task that is stopped makes nothing; one that is reverted undoes what it made")
    void tasksAreStoppedAndReverted() {
        String stopped = create(MEMORY_IMAGE, MEMORY_VOLUME);
        String reverted = create(CONF_IMAGE, CONF_VOLUME);
        lab.result(0, "Task.stop", "{\"taskID\": \"%s\"}".formatted(stopped));
        assertThat(lab.ask(0, "Task.revert", "{\"taskID\": \"%s\"}".formatted(reverted)).code())
                .as("while it runs")
                .isEqualTo(403);
        lab.pass(2);
        assertThat(status(stopped).get("code").asInt()).isEqualTo(411);
        assertThat(lab.result(0, "Image.getVolumes", image(MEMORY_IMAGE))).isEmpty();
        lab.result(0, "Task.revert", "{\"taskID\": \"%s\"}".formatted(reverted));
        assertThat(status(reverted).get("taskResult").asString()).isEqualTo("cleanSuccess");
        assertThat(lab.result(0, "Image.getVolumes", image(CONF_IMAGE))).isEmpty();
    }

    @ParameterizedTest
    @DisplayName("a host refuses what VDSM refuses, before there is a task")
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "\"storagepoolID\": \"p\"| 309| Unknown pool id, pool not connected: ('p',)",
                "\"storagedomainID\": \"d\"| 358| Storage domain does not exist: ('d',)",
                "\"imageID\": \"i\"| 1000| Invalid parameter: 'imgUUID=i'",
                "\"volumeID\": \"v\"| 1000| Invalid parameter: 'volUUID=v'",
                "\"size\": 1024| 1000| Invalid parameter: 'size=1024'",
                "\"size\": \"-1\"| 1000| Invalid parameter: 'size=-1'",
                "\"volFormat\": 3| 202| Incorrect Volume format: (3,)",
                "\"preallocate\": 0| 231| Incorrect Volume Preallocate Type: (0,)",
                "\"diskType\": \"TAPE\"| 1000| Invalid parameter: 'DiskType=TAPE'"
            })
    void badVolumesAreRefused(String member, int code, String message) {
        String name = member.substring(0, member.indexOf(':') + 1);
        String good = volume(FILES, MEMORY_IMAGE, MEMORY_VOLUME, "");
        String bad = good.replaceFirst(name + " [^,}]*", member);
        Lab.Answer answer = lab.ask(0, "Volume.create", bad);
        assertThat(answer.code()).isEqualTo(code);
        assertThat(answer.message()).isEqualTo(message);
    }

    @Test
    @DisplayName("block storage has no raw volume without its space")
    void noSparseRawVolumeOnBlocks() {
        String sparse =
                volume(BLOCKS, MEMORY_IMAGE, MEMORY_VOLUME, "")
                        .replace("\"preallocate\": 1", "\"preallocate\": 2");
        assertThat(lab.ask(0, "Volume.create", sparse).code()).isEqualTo(202);
        assertThat(lab.ask(0, "Volume.create", sparse.replace(BLOCKS, FILES)).code()).isZero();
    }

    @Test
    @DisplayName("only the storage pool manager makes volumes and knows the tasks")
    void onlyTheManagerMakesVolumes() {
        String order = volume(FILES, MEMORY_IMAGE, MEMORY_VOLUME, "");
        Lab.Answer refused = lab.ask(1, "Volume.create", order);
        assertThat(refused.code()).isEqualTo(654);
        assertThat(refused.message()).isEqualTo("Not SPM: ('%s',)".formatted(POOL));
        String task = create(MEMORY_IMAGE, MEMORY_VOLUME);
        assertThat(lab.ask(1, "Task.getStatus", "{\"taskID\": \"%s\"}".formatted(task)).code())
                .isEqualTo(401);
        lab.host(1).becomeSpm();
        lab.pass(2);
        assertThat(
                        lab.result(1, "Task.getStatus", "{\"taskID\": \"%s\"}".formatted(task))
                                .get("taskResult")
                                .asString())
                .as("the next manager takes them over")
                .isEqualTo("success");
    }

    @Test
    @DisplayName("hosts are connected to one pool and know no other")
    void thePool() {
        assertThat(lab.result(1, "Host.getConnectedStoragePools").toString())
                .isEqualTo("[\"%s\"]".formatted(POOL));
        assertThat(lab.ask(0, "StoragePool.getSpmStatus", "{\"storagepoolID\": \"p\"}").code())
                .isEqualTo(309);
    }

    @Test
    @DisplayName("an image is deleted with its volumes; one that is not there is code 268")
    void anImageIsDeleted() {
        createBoth();
        String task = lab.result(0, "Image.delete", image(MEMORY_IMAGE)).asString();
        lab.pass(2);
        assertThat(status(task).get("taskResult").asString()).isEqualTo("success");
        assertThat(lab.result(0, "Image.getVolumes", image(MEMORY_IMAGE))).isEmpty();
        Lab.Answer again = lab.ask(0, "Image.delete", image(MEMORY_IMAGE));
        assertThat(again.code()).isEqualTo(268);
        assertThat(again.message())
                .isEqualTo(
                        "Image does not exist in domain: 'image=%s, domain=%s'"
                                .formatted(MEMORY_IMAGE, FILES));
        String volume =
                lab.result(0, "Volume.delete", volume(FILES, CONF_IMAGE, CONF_VOLUME, ""))
                        .asString();
        lab.pass(2);
        assertThat(status(volume).get("taskResult").asString()).isEqualTo("success");
        assertThat(lab.ask(0, "Image.delete", image(CONF_IMAGE)).code()).isEqualTo(268);
    }

    // ---- VMs that are saved

    private static String xml(UUID vm) {
        return "<domain type='kvm'><name>vm-%s</name><uuid>%s</uuid></domain>".formatted(vm, vm);
    }

    private void running(UUID vm) {
        String params = "{\"vmParams\": {\"xml\": \"%s\"}}".formatted(xml(vm));
        assertThat(lab.ask(0, "VM.create", params).code()).isZero();
        lab.pass(120);
        lab.heard();
    }

    private Lab.Answer hibernate(UUID vm, String handle) {
        return lab.ask(
                0,
                "VM.hibernate",
                "{\"vmID\": \"%s\", \"hibernationVolHandle\": \"%s\"}".formatted(vm, handle));
    }

    private static String handle() {
        return String.join(",", FILES, POOL, MEMORY_IMAGE, MEMORY_VOLUME, CONF_IMAGE, CONF_VOLUME);
    }

    private Lab.Answer restore(int host, UUID vm, String memoryVolume) {
        return lab.ask(
                host,
                "VM.create",
                """
                {"vmParams": {"xml": "%s",
                 "memoryDumpVolume": {"poolID": "%s", "domainID": "%s", "imageID": "%s",
                                      "volumeID": "%s"},
                 "memoryConfVolume": {"poolID": "%s", "domainID": "%s", "imageID": "%s",
                                      "volumeID": "%s"}}}
                """
                        .formatted(
                                xml(vm),
                                POOL,
                                FILES,
                                MEMORY_IMAGE,
                                memoryVolume,
                                POOL,
                                FILES,
                                CONF_IMAGE,
                                CONF_VOLUME));
    }

    private JsonNode stats(int host, UUID vm) {
        return lab.result(host, "VM.getStats", "{\"vmID\": \"%s\"}".formatted(vm)).get(0);
    }

    private String status(int host, UUID vm) {
        return stats(host, vm).get("status").asString();
    }

    private String destroy(UUID vm) {
        return lab.ask(0, "VM.destroy", "{\"vmID\": \"%s\"}".formatted(vm)).text();
    }

    @Test
    @DisplayName("a VM is saved to volumes that were made, and restored from them elsewhere")
    void aVmIsSavedAndRestored() {
        createBoth();
        running(VM);
        assertThat(lab.ask(0, "VM.hibernate", "{\"vmID\": \"%s\"}".formatted(VM)).code())
                .as("without volumes")
                .isEqualTo(-32603);
        assertThat(hibernate(VM, handle()).text()).isEqualTo("true");
        assertThat(lab.heard().getFirst().content().toString())
                .isEqualTo("{\"status\":\"Saving State\"}");
        assertThat(status(0, VM)).isEqualTo("Saving State");
        assertThat(lab.ask(0, "VM.cont", "{\"vmID\": \"%s\"}".formatted(VM)).code()).isEqualTo(16);
        assertThat(hibernate(VM, handle()).code()).as("twice").isEqualTo(51);
        lab.pass(10);
        assertThat(stats(0, VM).get("exitReason").asInt()).isEqualTo(5);
        assertThat(restore(0, VM, MEMORY_VOLUME).code()).as("its remains are there").isEqualTo(4);
        assertThat(restore(1, VM, MEMORY_VOLUME).json().get("status").asString())
                .as("elsewhere nobody knows of them")
                .isEqualTo("Restoring state");
        assertThat(destroy(VM)).isEqualTo("true");
        lab.pass(80);
        assertThat(status(1, VM)).isEqualTo("Up");
        assertThat(stats(1, VM).has("pauseCode")).isFalse();
        assertThat(lab.ask(0, "Image.delete", image(MEMORY_IMAGE)).code()).isZero();
    }

    @Test
    @DisplayName("a VM is not saved to missing volumes: it runs on, and code 12 is kept")
    void noVolumeNoHibernation() {
        running(VM);
        assertThat(hibernate(VM, handle()).text()).isEqualTo("true");
        assertThat(status(0, VM)).isEqualTo("Saving State");
        lab.pass(5);
        assertThat(status(0, VM)).isEqualTo("Up");
        assertThat(lab.heard())
                .extracting(told -> told.content().toString())
                .containsExactly("{\"status\":\"Saving State\"}", "{\"status\":\"Up\"}");
        JsonNode outcome =
                lab.result(0, "VM.getMigrationStatus", "{\"vmID\": \"%s\"}".formatted(VM));
        assertThat(outcome.get("status").get("code").asInt()).isEqualTo(12);
        assertThat(outcome.get("status").get("message").asString())
                .isEqualTo("Fatal error during migration");
        lab.pass(60);
        assertThat(status(0, VM)).isEqualTo("Up");
    }

    @Test
    @DisplayName("without the configuration's volume the memory is saved and the record is stuck")
    void noConfigurationVolume() {
        create(MEMORY_IMAGE, MEMORY_VOLUME);
        lab.pass(2);
        running(VM);
        assertThat(hibernate(VM, handle()).text()).isEqualTo("true");
        lab.pass(600);
        assertThat(status(0, VM)).isEqualTo("Saving State");
        assertThat(stats(0, VM).get("monitorResponse").asString()).isEqualTo("-1");
        assertThat(destroy(VM)).isEqualTo("true");
    }

    @ParameterizedTest
    @DisplayName("a handle without six fields is an error of the call")
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "a,b|General Exception: ('not enough values to unpack (expected 6, got 2)',)",
                "a,b,c,d,e,f,g|General Exception: ('too many values to unpack (expected 6)',)"
            })
    void badHandles(String handle, String message) {
        running(VM);
        Lab.Answer answer = hibernate(VM, handle);
        assertThat(answer.code()).isEqualTo(100);
        assertThat(answer.message()).isEqualTo(message);
        assertThat(status(0, VM)).isEqualTo("Up");
    }

    @Test
    @DisplayName("a hibernation is stopped as a migration is: the VM runs on")
    void aHibernationIsCancelled() {
        createBoth();
        running(VM);
        hibernate(VM, handle());
        lab.pass(2);
        assertThat(lab.ask(0, "VM.migrateCancel", "{\"vmID\": \"%s\"}".formatted(VM)).text())
                .isEqualTo("true");
        assertThat(status(0, VM)).isEqualTo("Up");
        lab.pass(60);
        assertThat(status(0, VM)).isEqualTo("Up");
    }

    @Test
    @DisplayName("a VM is not restored from a volume that is not there, is empty, or is another's")
    void badMemoryIsNotRestored() {
        assertThat(restore(0, VM, MEMORY_VOLUME).code()).isZero();
        lab.pass(30);
        Told missing = lab.heard().getLast();
        assertThat(missing.content().get("exitCode").asInt()).isEqualTo(1);
        assertThat(missing.content().get("exitReason").asInt()).isEqualTo(1);
        assertThat(missing.content().get("exitMessage").asString())
                .isEqualTo(
                        ("Wake up from hibernation failed:Bad volume specification {'poolID': '%s',"
                                        + " 'domainID': '%s', 'imageID': '%s', 'volumeID': '%s',"
                                        + " 'device': 'disk'}")
                                .formatted(POOL, FILES, MEMORY_IMAGE, MEMORY_VOLUME));
        destroy(VM);

        createBoth();
        assertThat(restore(0, VM, MEMORY_VOLUME).code()).isZero();
        lab.pass(30);
        String empty = "Wake up from hibernation failed:operation failed: image magic is incorrect";
        assertThat(stats(0, VM).get("exitMessage").asString()).isEqualTo(empty);
        destroy(VM);

        UUID other = new UUID(9, 9);
        running(other);
        hibernate(other, handle());
        lab.pass(10);
        assertThat(restore(0, VM, MEMORY_VOLUME).code()).isZero();
        lab.pass(30);
        assertThat(stats(0, VM).get("exitMessage").asString()).isEqualTo(empty);
    }
}
