package org.stillwater.fake.world;

import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.UUID;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.stillwater.fake.net.JsonBody;
import tools.jackson.databind.JsonNode;

/**
 * The verbs of a host about storage: volumes, images, leases, and the tasks of the storage pool
 * manager ({@code vdsm/storage/hsm.py}). They check the same conditions as VDSM, in the same order.
 */
final class StorageVerbs {

    private static final int RAW = 5;
    private static final int COW = 4;
    private static final int PREALLOCATED = 1;
    private static final int SPARSE = 2;

    /** Kinds of content that VDSM knows ({@code vdsm/storage/constants.py}). */
    private static final Set<String> CONTENTS =
            Set.of(
                    "2", "DATA", "ISOF", "OVFS", "MEMD", "MEMM", "HEVD", "HESD", "HEMD", "HECI",
                    "SCRD");

    private final World world;
    private final FakeHost host;

    StorageVerbs(World world, FakeHost host) {
        this.world = world;
        this.host = host;
    }

    JsonBody spmStatus(Arguments arguments) {
        requirePool(arguments.text("storagepoolID"));
        boolean spm = host.isSpm();
        return new JsonOut(128)
                .object()
                .name("spmId")
                .number(spm ? 1 : -1)
                .name("spmStatus")
                .text(spm ? "SPM" : "Free")
                .name("spmLver")
                .number(spm ? 12 : -1)
                .endObject()
                .body();
    }

    JsonBody createVolume(Arguments arguments) {
        VolumeAddress address =
                new VolumeAddress(
                        arguments.text("storagepoolID"),
                        arguments.text("storagedomainID"),
                        arguments.text("imageID"),
                        arguments.text("volumeID"));
        JsonNode size = arguments.required("size");
        int format = (int) arguments.number("volFormat", 0);
        int allocation = (int) arguments.number("preallocate", 0);
        String content = arguments.text("diskType");
        String _ = arguments.text("desc");
        String sourceImage = arguments.text("srcImgUUID");
        String sourceVolume = arguments.text("srcVolUUID");
        requireDomain(address.pool(), address.domain());
        requireId("imgUUID", address.image());
        requireId("volUUID", address.volume());
        requireSize(size);
        requireId("srcImgUUID", sourceImage);
        requireId("srcVolUUID", sourceVolume);
        requireKind(address.domain(), format, allocation, content);
        return onSpm(address.pool(), () -> world.storage().create(address));
    }

    JsonBody deleteVolume(Arguments arguments) {
        VolumeAddress address =
                new VolumeAddress(
                        arguments.text("storagepoolID"),
                        arguments.text("storagedomainID"),
                        arguments.text("imageID"),
                        arguments.text("volumeID"));
        requirePool(address.pool());
        requireId("imgUUID", address.image());
        return onSpm(
                address.pool(),
                () -> {
                    if (!world.storage().has(address)) {
                        throw VdsmError.VOLUME_DOES_NOT_EXIST.of(address.volume());
                    }
                    return world.storage().delete("deleteVolume", List.of(address));
                });
    }

    /** The image must be there, which is checked before anything else is. */
    JsonBody deleteImage(Arguments arguments) {
        String pool = arguments.text("storagepoolID");
        String domain = arguments.text("storagedomainID");
        String image = arguments.text("imageID");
        requireDomain(pool, domain);
        return world.changing(() -> {
            List<VolumeAddress> all =
                    world.storage().volumesOf(domain, image).stream()
                            .map(volume -> new VolumeAddress(pool, domain, image, volume))
                            .toList();
            if (all.isEmpty()) {
                throw VdsmError.IMAGE_NOT_IN_DOMAIN.saying(
                        "%s: 'image=%s, domain=%s'"
                                .formatted(VdsmError.IMAGE_NOT_IN_DOMAIN.text(), image, domain));
            }
            return onSpm(pool, () -> world.storage().delete("deleteImage", all));
        });
    }

    JsonBody volumes(Arguments arguments) {
        String domain = arguments.text("storagedomainID");
        String image = arguments.text("imageID");
        requireDomain(arguments.text("storagepoolID"), domain);
        return world.changing(
                () -> new JsonOut(128).value(world.storage().volumesOf(domain, image)).body());
    }

    // ---- leases

    JsonBody createLease(Arguments arguments) {
        LeaseAddress lease = lease(arguments);
        return onSpm(Storage.POOL, () -> world.storage().createLease(lease));
    }

    JsonBody deleteLease(Arguments arguments) {
        LeaseAddress lease = lease(arguments);
        return onSpm(Storage.POOL, () -> world.storage().deleteLease(lease));
    }

    /** Any host that is connected to the pool answers. */
    JsonBody leaseInfo(Arguments arguments) {
        LeaseAddress lease = lease(arguments);
        return world.changing(() -> {
            LeaseAddress.Place place = world.storage().leaseInfo(lease);
            return new JsonOut(256)
                    .object()
                    .name("sd_id")
                    .text(lease.domain())
                    .name("lease_id")
                    .text(lease.id())
                    .name("path")
                    .text(place.path())
                    .name("offset")
                    .number(place.offset())
                    .endObject()
                    .body();
        });
    }

    private static LeaseAddress lease(Arguments arguments) {
        JsonNode lease = arguments.required("lease");
        String domain = lease.path("sd_id").asString("");
        String id = lease.path("lease_id").asString("");
        requireId("sd_id", domain);
        requireId("lease_id", id);
        return new LeaseAddress(domain.toLowerCase(Locale.ROOT), id.toLowerCase(Locale.ROOT));
    }

    // ---- tasks

    JsonBody taskStatus(Arguments arguments) {
        return task(
                arguments,
                task -> {
                    JsonOut out = new JsonOut(256);
                    task.write(out);
                    return out.body();
                });
    }

    JsonBody taskInfo(Arguments arguments) {
        return task(
                arguments,
                task -> {
                    JsonOut out = new JsonOut(128);
                    info(out, task);
                    return out.body();
                });
    }

    JsonBody clearTask(Arguments arguments) {
        return task(
                arguments,
                task -> {
                    world.storage().clear(task.id);
                    return JsonBody.TRUE;
                });
    }

    JsonBody stopTask(Arguments arguments) {
        return task(
                arguments,
                task -> {
                    task.stop();
                    return JsonBody.TRUE;
                });
    }

    JsonBody revertTask(Arguments arguments) {
        return task(
                arguments,
                task -> {
                    task.revert();
                    return JsonBody.TRUE;
                });
    }

    JsonBody allTasksStatuses() {
        return allTasks((out, task) -> task.write(out));
    }

    JsonBody allTasksInfo() {
        return allTasks(StorageVerbs::info);
    }

    private static void info(JsonOut out, StorageTask task) {
        out.object().name("id").text(task.id).name("verb").text(task.verb).endObject();
    }

    private JsonBody allTasks(BiConsumer<JsonOut, StorageTask> write) {
        if (!host.isSpm()) {
            throw VdsmError.NOT_SPM.saying(VdsmError.NOT_SPM.text() + ": ()");
        }
        return world.changing(() -> {
            Collection<StorageTask> tasks = world.storage().tasks();
            JsonOut out = new JsonOut(64 + 256 * tasks.size()).object();
            for (StorageTask task : tasks) {
                out.name(task.id);
                write.accept(out, task);
            }
            return out.endObject().body();
        });
    }

    /** The tasks are the storage pool manager's: another host does not know them. */
    private JsonBody task(Arguments arguments, Function<StorageTask, JsonBody> use) {
        String id = arguments.text("taskID").toLowerCase(Locale.ROOT);
        if (!host.isSpm()) {
            throw VdsmError.UNKNOWN_TASK.of(id);
        }
        return world.changing(() -> use.apply(world.storage().task(id)));
    }

    private JsonBody onSpm(String pool, Supplier<StorageTask> schedule) {
        if (!host.isSpm()) {
            throw VdsmError.NOT_SPM.of(pool);
        }
        return world.changing(() -> new JsonOut(64).text(schedule.get().id).body());
    }

    // ---- conditions of VDSM

    private static void requirePool(String pool) {
        if (!pool.equals(Storage.POOL)) {
            throw VdsmError.UNKNOWN_POOL.of(pool);
        }
    }

    private static void requireDomain(String pool, String domain) {
        requirePool(pool);
        if (!HostReport.STORAGE_DOMAINS.contains(domain)) {
            throw VdsmError.UNKNOWN_DOMAIN.of(domain);
        }
    }

    private static void requireId(String name, String id) {
        try {
            UUID _ = UUID.fromString(id);
        } catch (IllegalArgumentException e) {
            throw invalid(name, id);
        }
    }

    /** A number of bytes as text: the number itself is refused. */
    private static void requireSize(JsonNode size) {
        if (!size.isString() || !size.asString().matches("[0-9]{1,18}")) {
            throw invalid("size", size.asString());
        }
    }

    private static void requireKind(String domain, int format, int allocation, String content) {
        if (format != RAW && format != COW) {
            throw VdsmError.INCORRECT_FORMAT.saying(
                    "%s: (%d,)".formatted(VdsmError.INCORRECT_FORMAT.text(), format));
        }
        if (allocation != PREALLOCATED && allocation != SPARSE) {
            throw VdsmError.INCORRECT_TYPE.saying(
                    "%s: (%d,)".formatted(VdsmError.INCORRECT_TYPE.text(), allocation));
        }
        if (domain.equals(Storage.BLOCK_DOMAIN) && format == RAW && allocation == SPARSE) {
            throw VdsmError.INCORRECT_FORMAT.of("RAW");
        }
        if (!CONTENTS.contains(content)) {
            throw invalid("DiskType", content);
        }
    }

    private static VerbError invalid(String name, String value) {
        return VdsmError.INVALID_PARAMETER.saying(
                "%s: %s"
                        .formatted(
                                VdsmError.INVALID_PARAMETER.text(),
                                PythonText.string(name + "=" + value)));
    }
}
