package org.stillwater.vdsm.client;

import java.util.UUID;
import java.util.function.Consumer;
import org.stillwater.core.connection.HostAnswer;
import org.stillwater.core.connection.HostStorage;
import org.stillwater.core.connection.StorageTask;
import org.stillwater.core.definition.MemoryVolume;
import org.stillwater.core.definition.VmLease;
import org.stillwater.core.id.VmId;
import org.stillwater.core.report.ReportedText;
import org.stillwater.vdsm.jsonrpc.Lenient;
import org.stillwater.vdsm.jsonrpc.MalformedEnvelope;
import org.stillwater.vdsm.wire.StorageField;
import org.stillwater.vdsm.wire.Verb;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/** Volumes, leases and tasks in VDSM's verbs (HSM of its API). Thread-safe. */
final class VdsmStorage implements HostStorage {

    /** The image and volume that a volume is based on: none. */
    private static final String NONE = new UUID(0, 0).toString();

    private final VdsmHostConnection connection;

    VdsmStorage(VdsmHostConnection connection) {
        this.connection = connection;
    }

    @Override
    public void isManager(UUID pool, Consumer<HostAnswer<Boolean>> receiver) {
        connection.command(
                Verb.GET_SPM_STATUS,
                json -> json.writeStringProperty(StorageField.POOL_ID, pool.toString()),
                VdsmStorage::isSpm,
                receiver);
    }

    @Override
    public void createVolume(
            MemoryVolume volume,
            long bytes,
            Content content,
            Consumer<HostAnswer<String>> receiver) {
        connection.command(
                StorageField.VOLUME_CREATE,
                json -> {
                    image(json, volume);
                    json.writeStringProperty(StorageField.VOLUME_ID, volume.volume().toString());
                    json.writeStringProperty(StorageField.SIZE, Long.toString(bytes));
                    json.writeNumberProperty(StorageField.FORMAT, StorageField.RAW);
                    json.writeNumberProperty(StorageField.PREALLOCATE, StorageField.PREALLOCATED);
                    json.writeStringProperty(
                            StorageField.DISK_TYPE,
                            switch (content) {
                                case MEMORY -> StorageField.MEMORY;
                                case CONFIGURATION -> StorageField.MEMORY_CONFIGURATION;
                            });
                    json.writeStringProperty(StorageField.DESCRIPTION, "");
                    json.writeStringProperty(StorageField.SOURCE_IMAGE_ID, NONE);
                    json.writeStringProperty(StorageField.SOURCE_VOLUME_ID, NONE);
                },
                parser -> task(parser, StorageField.VOLUME_CREATE),
                receiver);
    }

    @Override
    public void deleteImage(MemoryVolume volume, Consumer<HostAnswer<String>> receiver) {
        connection.command(
                StorageField.IMAGE_DELETE,
                json -> {
                    image(json, volume);
                    json.writeBooleanProperty(StorageField.POST_ZERO, false);
                    json.writeBooleanProperty(StorageField.FORCE, false);
                },
                parser -> task(parser, StorageField.IMAGE_DELETE),
                receiver);
    }

    @Override
    public void createLease(UUID domain, VmId vm, Consumer<HostAnswer<String>> receiver) {
        connection.command(
                StorageField.LEASE_CREATE,
                json -> lease(json, domain, vm),
                parser -> task(parser, StorageField.LEASE_CREATE),
                receiver);
    }

    @Override
    public void deleteLease(UUID domain, VmId vm, Consumer<HostAnswer<String>> receiver) {
        connection.command(
                StorageField.LEASE_DELETE,
                json -> lease(json, domain, vm),
                parser -> task(parser, StorageField.LEASE_DELETE),
                receiver);
    }

    @Override
    public void lease(UUID domain, VmId vm, Consumer<HostAnswer<VmLease.Place>> receiver) {
        connection.command(
                StorageField.LEASE_INFO,
                json -> lease(json, domain, vm),
                parser -> place(parser, domain, vm),
                receiver);
    }

    private static void lease(JsonGenerator json, UUID domain, VmId vm) {
        json.writeName(StorageField.LEASE);
        json.writeStartObject();
        json.writeStringProperty(StorageField.LEASE_DOMAIN_ID, domain.toString());
        json.writeStringProperty(StorageField.LEASE_ID, vm.toString());
        json.writeEndObject();
    }

    /** A lease's place counts only if its answer names the lease that was requested. */
    private static VmLease.Place place(JsonParser p, UUID domain, VmId vm)
            throws MalformedEnvelope {
        requireObject(p, StorageField.LEASE_INFO);
        String saidDomain = "";
        String saidLease = "";
        String path = "";
        long offset = -1;
        while (p.nextToken() == JsonToken.PROPERTY_NAME) {
            String member = p.currentName();
            p.nextToken();
            switch (member) {
                case StorageField.LEASE_DOMAIN_ID -> saidDomain = text(p);
                case StorageField.LEASE_ID -> saidLease = text(p);
                case StorageField.LEASE_PATH -> path = text(p);
                case StorageField.LEASE_OFFSET -> offset = Lenient.longOf(p, -1);
                default -> p.skipChildren();
            }
        }
        if (!saidDomain.equalsIgnoreCase(domain.toString())
                || !saidLease.equalsIgnoreCase(vm.toString())) {
            throw new MalformedEnvelope(StorageField.LEASE_INFO + " is answered for another lease");
        }
        if (path.isEmpty() || offset < 0) {
            throw new MalformedEnvelope(
                    StorageField.LEASE_INFO + " is answered without a path or an offset");
        }
        return new VmLease.Place(path, offset);
    }

    @Override
    public void task(String task, Consumer<HostAnswer<StorageTask>> receiver) {
        connection.command(
                StorageField.TASK_GET_STATUS,
                json -> json.writeStringProperty(StorageField.TASK_ID, task),
                VdsmStorage::status,
                receiver);
    }

    @Override
    public void clearTask(String task, Consumer<HostAnswer<String>> receiver) {
        connection.command(
                StorageField.TASK_CLEAR,
                json -> json.writeStringProperty(StorageField.TASK_ID, task),
                _ -> task,
                receiver);
    }

    private static void image(JsonGenerator json, MemoryVolume volume) {
        json.writeStringProperty(StorageField.POOL_ID, volume.pool().toString());
        json.writeStringProperty(StorageField.DOMAIN_ID, volume.domain().toString());
        json.writeStringProperty(StorageField.IMAGE_ID, volume.image().toString());
    }

    private static String task(JsonParser p, String verb) throws MalformedEnvelope {
        String task = text(p);
        if (task.isEmpty()) {
            throw new MalformedEnvelope(verb + " is answered without a task");
        }
        return task;
    }

    private static boolean isSpm(JsonParser p) throws MalformedEnvelope {
        requireObject(p, Verb.GET_SPM_STATUS);
        boolean spm = false;
        while (p.nextToken() == JsonToken.PROPERTY_NAME) {
            String member = p.currentName();
            p.nextToken();
            if (member.equals(StorageField.SPM_STATUS)) {
                spm = StorageField.SPM.equals(text(p));
            } else {
                p.skipChildren();
            }
        }
        return spm;
    }

    private static StorageTask status(JsonParser p) throws MalformedEnvelope {
        requireObject(p, StorageField.TASK_GET_STATUS);
        String state = "";
        String result = "";
        String message = "";
        int code = 0;
        while (p.nextToken() == JsonToken.PROPERTY_NAME) {
            String member = p.currentName();
            p.nextToken();
            switch (member) {
                case StorageField.TASK_STATE -> state = text(p);
                case StorageField.TASK_RESULT -> result = text(p);
                case StorageField.MESSAGE -> message = text(p);
                case StorageField.CODE -> code = Lenient.intOf(p, 0);
                default -> p.skipChildren();
            }
        }
        boolean finished = state.equals(StorageField.FINISHED);
        return new StorageTask(
                finished,
                finished && code == 0 && result.equals(StorageField.SUCCESS),
                code,
                message);
    }

    private static void requireObject(JsonParser p, String verb) throws MalformedEnvelope {
        if (p.currentToken() != JsonToken.START_OBJECT) {
            throw new MalformedEnvelope("the result of " + verb + " is not an object");
        }
    }

    /** A short text; empty for anything else. */
    private static String text(JsonParser p) {
        if (p.currentToken() != JsonToken.VALUE_STRING
                || p.getStringLength() > ReportedText.FAILURE.mostCharacters()) {
            p.skipChildren();
            return "";
        }
        return p.getString();
    }
}
