package org.stillwater.dal;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import java.sql.SQLDataException;
import org.stillwater.core.id.HostId;
import org.stillwater.core.operation.OperationParameters;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.ValueSerializer;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.module.SimpleModule;

/**
 * Parameters of operations as JSON objects, with the member {@code kind} as their type. Stateless;
 * the names of kinds are durable.
 */
final class ParametersJson {

    private static final JsonMapper MAPPER =
            Json.mapper()
                    .addMixIn(OperationParameters.class, Kinds.class)
                    .addModule(
                            new SimpleModule("hosts")
                                    .addSerializer(HostId.class, new Host())
                                    .addDeserializer(HostId.class, new ParsedHost()))
                    .build();

    private ParametersJson() {}

    static String write(OperationParameters parameters) {
        return MAPPER.writerFor(OperationParameters.class).writeValueAsString(parameters);
    }

    static OperationParameters read(String text) throws SQLDataException {
        return Json.read(MAPPER, text, OperationParameters.class);
    }

    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "kind")
    @JsonSubTypes({
        @JsonSubTypes.Type(value = OperationParameters.None.class, name = "none"),
        @JsonSubTypes.Type(value = OperationParameters.Run.class, name = "run"),
        @JsonSubTypes.Type(value = OperationParameters.Shutdown.class, name = "shutdown"),
        @JsonSubTypes.Type(value = OperationParameters.Reboot.class, name = "reboot"),
        @JsonSubTypes.Type(value = OperationParameters.Migrate.class, name = "migrate"),
        @JsonSubTypes.Type(value = OperationParameters.Console.class, name = "console"),
        @JsonSubTypes.Type(value = OperationParameters.Definition.class, name = "definition"),
        @JsonSubTypes.Type(value = OperationParameters.Fence.class, name = "fence"),
        @JsonSubTypes.Type(value = OperationParameters.Cd.class, name = "cd"),
        @JsonSubTypes.Type(value = OperationParameters.Device.class, name = "device")
    })
    private interface Kinds {}

    /** A host is represented by its identity only. */
    private static final class Host extends ValueSerializer<HostId> {
        @Override
        public void serialize(HostId host, JsonGenerator json, SerializationContext context) {
            json.writeString(host.toString());
        }
    }

    private static final class ParsedHost extends ValueDeserializer<HostId> {
        @Override
        public HostId deserialize(JsonParser json, DeserializationContext context) {
            return HostId.parse(json.getString());
        }
    }
}
