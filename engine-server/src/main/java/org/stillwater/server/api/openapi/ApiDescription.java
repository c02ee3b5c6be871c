package org.stillwater.server.api.openapi;

import io.swagger.v3.oas.models.Components;
import io.swagger.v3.oas.models.OpenAPI;
import io.swagger.v3.oas.models.Operation;
import io.swagger.v3.oas.models.PathItem;
import io.swagger.v3.oas.models.headers.Header;
import io.swagger.v3.oas.models.info.Info;
import io.swagger.v3.oas.models.info.License;
import io.swagger.v3.oas.models.media.Content;
import io.swagger.v3.oas.models.media.JsonSchema;
import io.swagger.v3.oas.models.media.MediaType;
import io.swagger.v3.oas.models.media.Schema;
import io.swagger.v3.oas.models.parameters.Parameter;
import io.swagger.v3.oas.models.parameters.RequestBody;
import io.swagger.v3.oas.models.responses.ApiResponse;
import io.swagger.v3.oas.models.responses.ApiResponses;
import io.swagger.v3.oas.models.security.SecurityRequirement;
import io.swagger.v3.oas.models.security.SecurityScheme;
import io.swagger.v3.oas.models.servers.Server;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.springdoc.core.customizers.GlobalOpenApiCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.stillwater.server.settings.RestSettings;

/**
 * Content of the OpenAPI document beyond the controllers: the answers of each operation and their
 * bodies. Paths and parameters come from the controllers.
 */
@Configuration(proxyBeanMethods = false)
class ApiDescription {

    private static final String JSON = "application/json";
    private static final String VM = "/api/v1/vms/{id}";
    private static final String HOST = "/api/v1/hosts/{id}";

    /** Objects that a path names by id or name. */
    private static final List<String> NAMED =
            List.of(
                    VM,
                    HOST,
                    "/api/v1/affinity-groups/{id}",
                    "/api/v1/clusters/{id}",
                    "/api/v1/data-centres/{id}",
                    "/api/v1/pools/{id}",
                    "/api/v1/users/{id}");

    /** Objects of which several may have one name: found VMs, and groups of several clusters. */
    private static final List<String> SHARED_NAMES = List.of(VM, "/api/v1/affinity-groups/{id}");

    private static final String SHARED_NAME =
            "Several objects have this name; the answer has their ids.";

    private static final String PROBLEM = "application/problem+json";
    private static final String EXAMPLE_ID = "00000000-0000-0000-0000-000000000000";

    private static final Map<Integer, String> WORDS =
            Map.ofEntries(
                    Map.entry(200, "The answer."),
                    Map.entry(201, "It was added."),
                    Map.entry(202, "Accepted and durable; not done yet."),
                    Map.entry(204, "Done; the answer has no body."),
                    Map.entry(304, "Unchanged since the answer with this entity tag."),
                    Map.entry(400, "The engine cannot understand the request."),
                    Map.entry(401, "The request has no valid credentials."),
                    Map.entry(403, "The caller may not do this."),
                    Map.entry(404, "It does not exist, or the caller may not read it."),
                    Map.entry(405, "The path does not support the method."),
                    Map.entry(406, "There is no such form of the answer."),
                    Map.entry(409, "The present state does not allow it."),
                    Map.entry(
                            410,
                            "The changes since then are no longer known: read the whole list."),
                    Map.entry(413, "The body or the requested answer is too large."),
                    Map.entry(414, "The address is too long."),
                    Map.entry(415, "The body is no JSON."),
                    Map.entry(422, "The body is understood and contradicts itself."),
                    Map.entry(
                            429, "Too many requests; Retry-After has the time until the next one."),
                    Map.entry(431, "The headers are too large."),
                    Map.entry(
                            503,
                            "The engine cannot do this now: the database does not answer, or a"
                                    + " limit is reached."));

    private static final List<Integer> READ_PROBLEMS = List.of(400, 401, 403, 404, 406, 429, 503);
    private static final List<Integer> CHANGE_PROBLEMS =
            List.of(400, 401, 403, 404, 406, 409, 413, 415, 422, 429, 503);

    /** Answers of one operation. */
    private record Line(Map<Integer, String> answers, String body, List<String> forms) {}

    @Bean
    GlobalOpenApiCustomizer nativeInterface(RestSettings settings) {
        Map<String, Line> lines = operations();
        ParameterSchemas parameters = new ParameterSchemas(lines("parameters.txt"), settings);
        ApiTexts texts =
                new ApiTexts(lines("summaries.txt"), lines("members.txt"), lines("examples.txt"));
        return api -> {
            describe(api, lines, texts);
            parameters.narrow(api);
        };
    }

    /** The lines of a resource beside this class, without comments. */
    static List<String> lines(String resource) {
        InputStream in =
                Objects.requireNonNull(
                        ApiDescription.class.getResourceAsStream(resource), resource);
        try (BufferedReader reader =
                new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
            return reader.lines().filter(line -> !line.isBlank() && !line.startsWith("#")).toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Map<String, Line> operations() {
        Map<String, Line> all = new LinkedHashMap<>();
        for (String text : lines("operations.txt")) {
            String[] words = text.split(" ", -1);
            Map<Integer, String> answers = new TreeMap<>();
            String body = "";
            List<String> forms = new ArrayList<>();
            for (int i = 2; i < words.length; i++) {
                String[] parts = words[i].split(":", 2);
                if (parts[0].equals("body")) {
                    body = parts[1];
                } else if (Character.isDigit(parts[0].charAt(0))) {
                    answers.put(Integer.valueOf(parts[0]), parts.length == 2 ? parts[1] : "");
                } else {
                    forms.add(parts[0]);
                }
            }
            all.put(words[0] + " " + words[1], new Line(answers, body, forms));
        }
        return all;
    }

    private static void describe(OpenAPI api, Map<String, Line> lines, ApiTexts texts) {
        api.setInfo(
                new Info()
                        .title("Stillwater")
                        .version("1")
                        .license(new License().name("Apache 2.0").identifier("Apache-2.0"))
                        .description(
                                "The native interface of the monitoring engine. Every error is"
                                        + " application/problem+json (RFC 9457); every read has a"
                                        + " strong entity tag."));
        api.setServers(List.of(new Server().url("/")));
        api.setTags(null);
        Components components = new Components();
        new ApiSchemas(lines("schemas.txt"))
                .all()
                .forEach((name, schema) -> {
                    texts.describe(name, schema);
                    components.addSchemas(name, (Schema<?>) schema);
                });
        components.addSecuritySchemes(
                "basic", new SecurityScheme().type(SecurityScheme.Type.HTTP).scheme("basic"));
        components.addSecuritySchemes(
                "bearer", new SecurityScheme().type(SecurityScheme.Type.HTTP).scheme("bearer"));
        api.setComponents(components);
        api.setSecurity(
                List.of(
                        new SecurityRequirement().addList("basic"),
                        new SecurityRequirement().addList("bearer")));
        if (api.getPaths() == null) {
            return;
        }
        api.getPaths()
                .forEach((path, item) ->
                        item.readOperationsMap()
                                .forEach((method, operation) ->
                                        describe(path, method, operation, lines, texts)));
        api.getPaths().values().stream()
                .flatMap(item -> item.readOperations().stream())
                .map(Operation::getRequestBody)
                .filter(body -> body != null && hasRequiredMembers(body, components))
                .forEach(body -> body.setRequired(true));
    }

    private static boolean hasRequiredMembers(RequestBody body, Components components) {
        MediaType json = body.getContent().get(JSON);
        String reference = json == null ? null : json.getSchema().get$ref();
        Schema<?> schema =
                reference == null
                        ? null
                        : components
                                .getSchemas()
                                .get(reference.substring(reference.lastIndexOf('/') + 1));
        return schema != null && schema.getRequired() != null && !schema.getRequired().isEmpty();
    }

    private static void describe(
            String path,
            PathItem.HttpMethod method,
            Operation operation,
            Map<String, Line> lines,
            ApiTexts texts) {
        boolean read = method == PathItem.HttpMethod.GET || method == PathItem.HttpMethod.HEAD;
        Line line =
                lines.getOrDefault(
                        method + " " + path,
                        new Line(
                                read
                                        ? Map.of(200, "any")
                                        : Map.of(200, "any", 201, "any", 202, "any", 204, ""),
                                read ? "" : "any",
                                List.of()));
        operation.setOperationId(operationId(method, path));
        operation.setTags(List.of(tag(path)));
        ApiTexts.Summary summary = texts.summary(method + " " + path);
        if (summary != null) {
            operation.setSummary(summary.line());
            operation.setDescription(
                    summary.more().isEmpty()
                            ? summary.line()
                            : summary.line() + " " + summary.more());
        }
        parameters(path, operation, texts);
        ApiResponses responses = new ApiResponses();
        line.answers()
                .forEach((status, schema) ->
                        responses.addApiResponse(
                                "" + status, answer(status, schema, line.forms(), read)));
        if (read && !line.forms().contains("events")) {
            responses.addApiResponse("304", new ApiResponse().description(word(304)));
        }
        for (int status : read ? READ_PROBLEMS : CHANGE_PROBLEMS) {
            responses.addApiResponse("" + status, problem(status));
        }
        if (read && takesSharedName(path, operation)) {
            responses.addApiResponse("409", problem(409).description(SHARED_NAME));
        }
        operation.setResponses(responses);
        if (line.body().isEmpty()) {
            operation.setRequestBody(null);
        } else {
            Content content = content(JSON, line.body());
            Object example = texts.example(line.body());
            MediaType json = content.get(JSON);
            if (json != null && example != null) {
                json.setExample(example);
            }
            operation.setRequestBody(
                    new RequestBody()
                            .required(
                                    line.body().startsWith("New")
                                            || line.body().endsWith("Change")
                                            || line.body().equals("PoolUser"))
                            .content(content));
        }
    }

    /** Whether an operation takes the name of an object that may share it with others. */
    private static boolean takesSharedName(String path, Operation operation) {
        return operation.getParameters() != null
                && operation.getParameters().stream()
                        .anyMatch(each ->
                                "path".equals(each.getIn())
                                        ? SHARED_NAMES.stream().anyMatch(path::startsWith)
                                        : "vm".equals(each.getName()));
    }

    private static void parameters(String path, Operation operation, ApiTexts texts) {
        List<Parameter> parameters = operation.getParameters();
        if (parameters == null) {
            return;
        }
        for (Parameter parameter : parameters) {
            if ("path".equals(parameter.getIn())) {
                Schema<Object> schema = new JsonSchema();
                schema.addType("string");
                if (parameter.getName().equals("action")) {
                    schema.setEnum(
                            List.of(
                                    "start",
                                    "shutdown",
                                    "stop",
                                    "reboot",
                                    "reset",
                                    "pause",
                                    "resume",
                                    "suspend",
                                    "migrate",
                                    "cancel-migration"));
                    parameter.setExample("start");
                } else if (parameter.getName().equals("id") || parameter.getName().equals("vm")) {
                    boolean named = NAMED.stream().anyMatch(path::startsWith);
                    if (!named) {
                        schema.setFormat("uuid");
                    }
                    parameter.setDescription(named ? "Its id or its name." : "Its id.");
                    parameter.setExample(EXAMPLE_ID);
                }
                parameter.setSchema(schema);
            } else if ("header".equals(parameter.getIn())
                    && "Accept".equalsIgnoreCase(parameter.getName())) {
                parameter.setRequired(false);
            }
            if (parameter.getDescription() == null) {
                parameter.setDescription(texts.parameter(parameter.getName()));
            }
        }
        operation.setParameters(
                parameters.stream()
                        .filter(each -> !"Accept".equalsIgnoreCase(each.getName()))
                        .toList());
    }

    private static String word(int status) {
        return Objects.requireNonNull(WORDS.get(status), () -> "no word for " + status);
    }

    private static ApiResponse problem(int status) {
        ApiResponse response =
                new ApiResponse().description(word(status)).content(content(PROBLEM, "Problem"));
        if (status == 429 || status == 503) {
            response.addHeaderObject("Retry-After", header("Seconds until the next attempt."));
        }
        if (status == 401) {
            response.addHeaderObject(
                    "WWW-Authenticate", header("The accepted kinds of credentials."));
        }
        return response;
    }

    private static Header header(String text) {
        Schema<Object> schema = new JsonSchema();
        schema.addType("string");
        return new Header().description(text).schema(schema);
    }

    private static ApiResponse answer(int status, String schema, List<String> forms, boolean read) {
        if (status >= 400) {
            return problem(status);
        }
        ApiResponse response = new ApiResponse().description(word(status));
        Content content = schema.isEmpty() ? new Content() : content(JSON, schema);
        for (String form : forms) {
            Schema<Object> text = new JsonSchema();
            text.addType("string");
            content.addMediaType(
                    switch (form) {
                        case "csv" -> "text/csv";
                        case "ndjson" -> "application/x-ndjson";
                        case "octets" -> "application/octet-stream";
                        default -> "text/event-stream";
                    },
                    new MediaType().schema(text));
        }
        if (!content.isEmpty()) {
            response.setContent(content);
        }
        if (read && status == 200 && !forms.contains("events")) {
            response.addHeaderObject("ETag", header("Entity tag of the answer."));
        }
        if (status == 201 || status == 202) {
            response.addHeaderObject("Location", header("Where it is."));
        }
        return response;
    }

    private static Content content(String type, String schema) {
        return new Content()
                .addMediaType(
                        type,
                        new MediaType()
                                .schema(
                                        schema.equals("any")
                                                ? new JsonSchema()
                                                : SchemaTypes.reference(schema)));
    }

    /** The method and the names in the path: {@code getVmsByIdStatistics}. */
    static String operationId(PathItem.HttpMethod method, String path) {
        StringBuilder id = new StringBuilder(method.name().toLowerCase(Locale.ROOT));
        for (String part : path.substring("/api/v1".length()).split("[/:-]", -1)) {
            if (part.startsWith("{")) {
                id.append("By").append(capital(part.substring(1, part.length() - 1)));
            } else {
                id.append(capital(part));
            }
        }
        return id.toString();
    }

    private static String tag(String path) {
        return path.substring("/api/v1/".length()).split("[/:]", -1)[0];
    }

    private static String capital(String word) {
        return word.isEmpty() ? "" : Character.toUpperCase(word.charAt(0)) + word.substring(1);
    }
}
