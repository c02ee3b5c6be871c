package org.stillwater.vdsm.client;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.connection.ConvergenceSchedule;
import org.stillwater.core.connection.MigrationParameters;
import org.stillwater.core.connection.VmOrder;
import org.stillwater.core.definition.MemoryVolume;
import org.stillwater.core.definition.VmConsole;
import org.stillwater.vdsm.wire.CreateField;
import org.stillwater.vdsm.wire.MigrationField;
import org.stillwater.vdsm.wire.ParamField;
import org.stillwater.vdsm.wire.Verb;
import tools.jackson.core.JsonGenerator;

/** Orders as VDSM reads them: verb and parameters (protocol page §3.1, §3.7, §3.8). */
final class OrderParams {

    private OrderParams() {}

    /** The verb that carries this order. */
    static String verb(VmOrder order) {
        return switch (order) {
            case VmOrder.Create _ -> Verb.VM_CREATE;
            case VmOrder.Destroy _ -> Verb.VM_DESTROY;
            case VmOrder.Shutdown _ -> Verb.VM_SHUTDOWN;
            case VmOrder.Reset _ -> Verb.VM_RESET;
            case VmOrder.Pause _ -> Verb.VM_PAUSE;
            case VmOrder.Resume _ -> Verb.VM_CONT;
            case VmOrder.Hibernate _ -> Verb.VM_HIBERNATE;
            case VmOrder.Migrate _ -> Verb.VM_MIGRATE;
            case VmOrder.CancelMigration _ -> Verb.VM_MIGRATE_CANCEL;
            case VmOrder.SetTicket ticket ->
                    ticket.console() == null ? Verb.VM_SET_TICKET : Verb.VM_UPDATE_DEVICE;
            case VmOrder.ChangeCd _ -> Verb.VM_CHANGE_CD;
            case VmOrder.Plug plug ->
                    switch (plug.type()) {
                        case INTERFACE -> plug.in() ? Verb.VM_HOTPLUG_NIC : Verb.VM_HOTUNPLUG_NIC;
                        case DISK -> plug.in() ? Verb.VM_HOTPLUG_DISK : Verb.VM_HOTUNPLUG_DISK;
                    };
        };
    }

    /** Writes the members of the parameter object. */
    static void write(VmOrder order, JsonGenerator json) {
        json.writeStringProperty(ParamField.VM_ID, order.vmId().toString());
        switch (order) {
            case VmOrder.Create create -> create(create, json);
            case VmOrder.Destroy destroy ->
                    json.writeNumberProperty(
                            ParamField.GRACEFUL_ATTEMPTS, destroy.gracefulAttempts());
            case VmOrder.Shutdown shutdown -> shutdown(shutdown, json);
            case VmOrder.Hibernate hibernate ->
                    json.writeStringProperty(
                            ParamField.HIBERNATION_VOLUME_HANDLE, hibernate.volumeHandle());
            case VmOrder.Migrate migrate -> migrate(migrate, json);
            case VmOrder.SetTicket ticket -> ticket(ticket, ticket.console(), json);
            case VmOrder.ChangeCd cd -> changeCd(cd, json);
            case VmOrder.Plug plug -> plug(plug, json);
            case VmOrder.Reset _, VmOrder.Pause _, VmOrder.Resume _, VmOrder.CancelMigration _ -> {
                // No member beside the VM's id.
            }
        }
    }

    private static void create(VmOrder.Create create, JsonGenerator json) {
        json.writeObjectPropertyStart(ParamField.VM_PARAMS);
        json.writeStringProperty(CreateField.VM_ID, create.vmId().toString());
        json.writeStringProperty(CreateField.XML, create.xml());
        if (create.paused()) {
            json.writeBooleanProperty(CreateField.LAUNCH_PAUSED, true);
        }
        volume(CreateField.MEMORY_DUMP_VOLUME, create.dump(), json);
        volume(CreateField.MEMORY_CONF_VOLUME, create.conf(), json);
        text(CreateField.TPM_DATA, create.tpm(), json);
        text(CreateField.NVRAM_DATA, create.nvram(), json);
        json.writeEndObject();
    }

    private static void volume(String name, @Nullable MemoryVolume volume, JsonGenerator json) {
        if (volume != null) {
            json.writeObjectPropertyStart(name);
            json.writeStringProperty(CreateField.POOL_ID, volume.pool().toString());
            json.writeStringProperty(CreateField.DOMAIN_ID, volume.domain().toString());
            json.writeStringProperty(CreateField.IMAGE_ID, volume.image().toString());
            json.writeStringProperty(CreateField.VOLUME_ID, volume.volume().toString());
            json.writeEndObject();
        }
    }

    /** Engines have always sent these two numbers as text, and hosts convert them. */
    private static void shutdown(VmOrder.Shutdown shutdown, JsonGenerator json) {
        json.writeStringProperty(ParamField.DELAY, Integer.toString(shutdown.delaySeconds()));
        json.writeStringProperty(ParamField.MESSAGE, shutdown.message());
        json.writeBooleanProperty(ParamField.REBOOT, shutdown.reboot());
        if (shutdown.timeoutSeconds() != null) {
            json.writeStringProperty(
                    ParamField.TIMEOUT, Integer.toString(shutdown.timeoutSeconds()));
        }
        if (shutdown.force()) {
            json.writeBooleanProperty(ParamField.FORCE, true);
        }
    }

    private static void migrate(VmOrder.Migrate migrate, JsonGenerator json) {
        MigrationParameters p = migrate.parameters();
        json.writeObjectPropertyStart(ParamField.PARAMS);
        json.writeStringProperty(MigrationField.VM_ID, migrate.vmId().toString());
        json.writeStringProperty(MigrationField.SOURCE, migrate.source());
        json.writeStringProperty(MigrationField.DESTINATION, migrate.destination());
        json.writeStringProperty(MigrationField.METHOD, MigrationField.ONLINE);
        json.writeBooleanProperty(MigrationField.TUNNELED, p.tunneled());
        text(MigrationField.DESTINATION_ADDRESS, p.migrationAddress(), json);
        json.writeBooleanProperty(MigrationField.AUTO_CONVERGE, p.autoConverge());
        json.writeBooleanProperty(MigrationField.COMPRESSED, p.compressed());
        json.writeBooleanProperty(MigrationField.ENCRYPTED, p.encrypted());
        flag(MigrationField.ABORT_ON_ERROR, p.abortOnError(), json);
        text(MigrationField.CONSOLE_ADDRESS, p.consoleAddress(), json);
        number(MigrationField.MAX_BANDWIDTH, p.bandwidthMebibytesPerSecond(), json);
        json.writeBooleanProperty(MigrationField.ENABLE_GUEST_EVENTS, p.guestEvents());
        json.writeNumberProperty(MigrationField.OUTGOING_LIMIT, p.outgoingLimit());
        json.writeNumberProperty(MigrationField.INCOMING_LIMIT, p.incomingLimit());
        if (p.schedule() != null) {
            schedule(p.schedule(), json);
        }
        number(MigrationField.PARALLEL, p.connections(), json);
        flag(MigrationField.ZERO_COPY, p.zeroCopy(), json);
        texts(MigrationField.CPU_SETS, p.cpuSets(), json);
        texts(MigrationField.NUMA_NODE_SETS, p.numaNodeSets(), json);
        json.writeEndObject();
    }

    private static void schedule(ConvergenceSchedule schedule, JsonGenerator json) {
        json.writeObjectPropertyStart(MigrationField.CONVERGENCE_SCHEDULE);
        json.writeArrayPropertyStart(MigrationField.INIT);
        for (ConvergenceSchedule.Action action : schedule.initial()) {
            json.writeStartObject();
            action(action, json);
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeArrayPropertyStart(MigrationField.STALLING);
        for (ConvergenceSchedule.Step step : schedule.stalling()) {
            json.writeStartObject();
            json.writeNumberProperty(MigrationField.LIMIT, step.limit());
            json.writeObjectPropertyStart(MigrationField.ACTION);
            action(step.action(), json);
            json.writeEndObject();
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeEndObject();
    }

    private static void action(ConvergenceSchedule.Action action, JsonGenerator json) {
        json.writeStringProperty(MigrationField.NAME, action.name());
        json.writeArrayPropertyStart(MigrationField.PARAMS);
        action.parameters().forEach(json::writeString);
        json.writeEndArray();
    }

    /** The number of the drive is a text, as in the requests of an engine. */
    private static void changeCd(VmOrder.ChangeCd cd, JsonGenerator json) {
        json.writeObjectPropertyStart(ParamField.DRIVE_SPEC);
        json.writeStringProperty(ParamField.DRIVE_INTERFACE, cd.bus());
        json.writeStringProperty(ParamField.DRIVE_INDEX, Integer.toString(cd.index()));
        json.writeStringProperty(ParamField.DRIVE_PATH, cd.path());
        json.writeEndObject();
    }

    private static void plug(VmOrder.Plug plug, JsonGenerator json) {
        json.writeObjectPropertyStart(ParamField.PARAMS);
        json.writeStringProperty(CreateField.VM_ID, plug.vmId().toString());
        json.writeStringProperty(CreateField.XML, plug.xml());
        json.writeEndObject();
    }

    /** {@code VM.setTicket} sets the password of a VM's first console, whichever that is. */
    private static void ticket(
            VmOrder.SetTicket ticket, VmConsole.@Nullable Protocol console, JsonGenerator json) {
        if (console == null) {
            ticket(ticket, json);
            return;
        }
        json.writeObjectPropertyStart(ParamField.PARAMS);
        json.writeStringProperty(ParamField.DEVICE_TYPE, "graphics");
        json.writeStringProperty(
                ParamField.GRAPHICS_TYPE,
                switch (console) {
                    case SPICE -> "spice";
                    case VNC -> "vnc";
                });
        ticket(ticket, json);
        json.writeEndObject();
    }

    private static void ticket(VmOrder.SetTicket ticket, JsonGenerator json) {
        json.writeStringProperty(ParamField.PASSWORD, ticket.password());
        json.writeNumberProperty(ParamField.TTL, ticket.ttlSeconds());
        json.writeStringProperty(
                ParamField.EXISTING_CONNECTION_ACTION,
                switch (ticket.existing()) {
                    case KEEP -> "keep";
                    case DISCONNECT -> "disconnect";
                    case FAIL -> "fail";
                });
        json.writeObjectPropertyStart(ParamField.PARAMS);
        ticket.parameters().entrySet().stream()
                .sorted(Map.Entry.comparingByKey(Comparator.naturalOrder()))
                .forEach(entry -> json.writeStringProperty(entry.getKey(), entry.getValue()));
        json.writeEndObject();
    }

    private static void text(String name, @Nullable String value, JsonGenerator json) {
        if (value != null) {
            json.writeStringProperty(name, value);
        }
    }

    private static void flag(String name, @Nullable Boolean value, JsonGenerator json) {
        if (value != null) {
            json.writeBooleanProperty(name, value);
        }
    }

    private static void number(String name, @Nullable Integer value, JsonGenerator json) {
        if (value != null) {
            json.writeNumberProperty(name, value);
        }
    }

    private static void texts(String name, List<String> values, JsonGenerator json) {
        if (!values.isEmpty()) {
            json.writeArrayPropertyStart(name);
            values.forEach(json::writeString);
            json.writeEndArray();
        }
    }
}
