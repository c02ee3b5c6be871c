package org.stillwater.server.api.openapi;

import io.swagger.v3.oas.models.OpenAPI;
import io.swagger.v3.oas.models.Operation;
import io.swagger.v3.oas.models.media.Schema;
import io.swagger.v3.oas.models.parameters.Parameter;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.stillwater.core.audit.AuditSeverity;
import org.stillwater.core.host.HostStatus;
import org.stillwater.core.host.HostWorkKind;
import org.stillwater.core.operation.OperationKind;
import org.stillwater.core.operation.OperationState;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.core.vm.WorkKind;
import org.stillwater.server.api.web.Json;
import org.stillwater.server.settings.RestSettings;

/**
 * Schemas of query parameters: those of their endpoints, narrowed to the accepted values. A query
 * has no null, and the engine refuses a parameter without a value. Immutable.
 */
final class ParameterSchemas {

    /** The first page, and the begin of a stream: clients send them without a value. */
    private static final Set<String> MAY_BE_EMPTY = Set.of("cursor", "lastEventId");

    private final Map<String, String> types = new HashMap<>();

    /**
     * @param lines those of {@code parameters.txt}
     */
    ParameterSchemas(List<String> lines, RestSettings settings) {
        Map<String, String> values =
                Map.of(
                        "PAGE",
                        Integer.toString(settings.maxPageSize()),
                        "LIST",
                        Integer.toString(settings.maxListSize()),
                        "AUDIT_SEVERITY",
                        words(AuditSeverity.values(), AuditSeverity::label),
                        "OPERATION_KIND",
                        words(OperationKind.values(), OperationKind::label),
                        "OPERATION_STATE",
                        words(OperationState.values(), OperationState::label),
                        "WORK_KIND",
                        words(WorkKind.values(), WorkKind::label)
                                + "|"
                                + words(HostWorkKind.values(), HostWorkKind::label),
                        "VM_STATUS",
                        words(VmStatus.values(), Json::word),
                        "HOST_STATUS",
                        words(HostStatus.values(), Json::word));
        for (String line : lines) {
            String[] words = line.split(" ", -1);
            String type = words[1];
            for (Map.Entry<String, String> value : values.entrySet()) {
                type = type.replace(value.getKey(), value.getValue());
            }
            for (String path : Arrays.asList(words).subList(2, words.length)) {
                types.put(path + " " + words[0], type);
            }
        }
    }

    private static <E> String words(E[] values, Function<E, String> word) {
        return Stream.of(values).map(word).distinct().collect(Collectors.joining("|"));
    }

    /** Narrows the schemas of all query parameters. */
    void narrow(OpenAPI api) {
        if (api.getPaths() == null) {
            return;
        }
        api.getPaths()
                .forEach((path, item) ->
                        item.readOperations().stream()
                                .map(Operation::getParameters)
                                .filter(Objects::nonNull)
                                .flatMap(List::stream)
                                .filter(each -> "query".equals(each.getIn()))
                                .forEach(each -> narrow(path, each)));
    }

    private void narrow(String path, Parameter parameter) {
        String type = types.get(path + " " + parameter.getName());
        Schema<?> schema = parameter.getSchema();
        if (type != null) {
            Schema<?> narrow = SchemaTypes.of(type);
            if (schema != null && schema.getDefault() != null && !isEmpty(schema)) {
                narrow.setDefault(schema.getDefault());
            }
            parameter.setSchema(narrow);
        } else if (schema != null && isText(schema)) {
            // Parameters may share one schema: it stays as it is.
            Schema<Object> narrow = SchemaTypes.typed("string");
            if (!MAY_BE_EMPTY.contains(parameter.getName())) {
                narrow.setMinLength(1);
            }
            parameter.setSchema(narrow);
        }
    }

    /**
     * Whether the default is an empty text: the endpoint's word for a parameter that is left out.
     */
    private static boolean isEmpty(Schema<?> schema) {
        return "".equals(schema.getDefault());
    }

    /** Whether it is any text. */
    private static boolean isText(Schema<?> schema) {
        return schema.getTypes() != null
                && schema.getTypes().contains("string")
                && schema.getEnum() == null
                && schema.getFormat() == null
                && (schema.getDefault() == null || isEmpty(schema));
    }
}
