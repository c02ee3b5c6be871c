package org.stillwater.server.api.openapi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.swagger.v3.oas.models.media.Schema;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.ClassPathScanningCandidateComponentProvider;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.type.filter.AnnotationTypeFilter;
import org.springframework.http.ResponseEntity;
import org.springframework.util.ClassUtils;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestMethod;
import org.springframework.web.bind.annotation.RestController;
import org.stillwater.server.api.vm.DefinitionJson;
import tools.jackson.databind.JacksonModule;

/**
 * The members of every record that is answered are those of its schema. Records that are written by
 * hand are not looked at: a validator compares their answers with the document.
 */
class ApiSchemasTest {

    private static final String ROOT = "org.stillwater.server";

    private static final String ID = "00000000-0000-0000-0000-000000000001";
    private static final String VOLUME =
            "'pool': '%1$s', 'domain': '%1$s', 'image': '%1$s', 'volume': '%1$s'".formatted(ID);

    private final Map<String, Schema<?>> schemas =
            new ApiSchemas(ApiDescription.lines("schemas.txt")).all();
    private final Set<String> compared = new TreeSet<>();
    private final Set<Class<?>> underWay = new HashSet<>();

    @Test
    void everyMemberOfAnAnswerIsInItsSchema() {
        Map<String, List<String>> answers = answers();
        for (Class<?> controller : controllers()) {
            for (Method method : controller.getDeclaredMethods()) {
                ResolvableType answered = ResolvableType.forMethodReturnType(method);
                ResolvableType type =
                        answered.resolve() == ResponseEntity.class
                                ? answered.getGeneric(0)
                                : answered;
                for (String operation : operations(controller, method)) {
                    for (String schema : answers.getOrDefault(operation, List.of())) {
                        compare(operation, type, schemas.get(schema));
                    }
                }
            }
        }
        assertThat(compared)
                .as("records that were compared")
                .hasSizeGreaterThan(20)
                .contains("UserView", "Pool", "Agent", "TokenView", "Item", "State");
    }

    /**
     * So that a generated client that sends a definition back with a change loses nothing of it.
     */
    @Test
    void everyMemberOfADefinitionIsInItsSchemas() {
        Map<String, String> bodies =
                Map.of(
                        "NewVm",
                        "",
                        "DefinitionDisk",
                        "'disks': [{'id': '%1$s', 'place': {'kind': 'file', 'path': '/d'}, %2$s}]",
                        "DefinitionCdrom",
                        "'cdrom': {'id': '%1$s', %2$s}",
                        "DefinitionInterface",
                        "'interfaces': [{'id': '%1$s', 'mac': '56:6f:00:00:00:01', %2$s}]",
                        "DefinitionConsole",
                        "'consoles': [{'protocol': 'vnc', %2$s}]",
                        "DefinitionRandomness",
                        "'randomness': {%2$s}",
                        "DefinitionWatchdog",
                        "'watchdog': {%2$s}",
                        "DefinitionNumaNode",
                        "'numaNodes': [{'cpus': [0], 'memoryMebibytes': 16, %2$s}]");
        bodies.forEach((schema, members) -> {
            String own = members.isEmpty() ? "'nothing': 1" : members;
            String body =
                    "{'name': 'a', 'memoryMebibytes': 16, 'cluster': '%1$s', ".formatted(ID)
                            + own.formatted(ID, "'nothing': 1")
                            + "}";
            assertThat(membersNamed(body))
                    .as(schema)
                    .containsExactlyInAnyOrderElementsOf(properties(schema));
        });
        Set<String> ofAVolume = new TreeSet<>(membersNamed(place("'kind': 'volume'", VOLUME)));
        ofAVolume.addAll(membersNamed(place("'kind': 'file'", "'path': '/d'")));
        assertThat(ofAVolume)
                .containsExactlyInAnyOrderElementsOf(properties("DefinitionDiskPlace"));
        assertThat(properties("VmDefinition"))
                .containsExactlyInAnyOrderElementsOf(properties("NewVm"));
    }

    private static String place(String kind, String members) {
        return "{'name': 'a', 'memoryMebibytes': 16, 'cluster': '%1$s', 'disks': [{'id': '%1$s', 'place': {%2$s, %3$s, 'nothing': 1}}]}"
                .formatted(ID, kind, members);
    }

    private Set<String> properties(String schema) {
        return Objects.requireNonNull(schemas.get(schema), schema).getProperties().keySet();
    }

    /** The members that the refusal of one names. */
    private static List<String> membersNamed(String body) {
        String refusal =
                assertThrows(
                                IllegalArgumentException.class,
                                () -> DefinitionJson.parse(body.replace('\'', '"')))
                        .getMessage();
        assertThat(refusal).contains("nothing here. The members are ");
        return List.of(refusal.replaceAll("(?s).*The members are (.*)\\.", "$1").split(", ", -1));
    }

    private static List<Class<?>> controllers() {
        ClassPathScanningCandidateComponentProvider scan =
                new ClassPathScanningCandidateComponentProvider(false);
        scan.addIncludeFilter(new AnnotationTypeFilter(RestController.class));
        return scan.findCandidateComponents(ROOT).stream()
                .<Class<?>>map(found ->
                        ClassUtils.resolveClassName(String.valueOf(found.getBeanClassName()), null))
                .toList();
    }

    /** The operations that a method serves, as method and path. */
    private static Set<String> operations(Class<?> controller, Method method) {
        RequestMapping own =
                AnnotatedElementUtils.findMergedAnnotation(method, RequestMapping.class);
        if (own == null) {
            return Set.of();
        }
        RequestMapping all =
                AnnotatedElementUtils.findMergedAnnotation(controller, RequestMapping.class);
        Set<String> operations = new HashSet<>();
        for (String before : all == null ? List.of("") : orEmpty(all.path())) {
            for (String after : orEmpty(own.path())) {
                for (RequestMethod verb : own.method()) {
                    operations.add(verb + " " + before + after);
                }
            }
        }
        return operations;
    }

    private static List<String> orEmpty(String[] paths) {
        return paths.length == 0 ? List.of("") : Arrays.asList(paths);
    }

    /** Names of schemas by operation. */
    private static Map<String, List<String>> answers() {
        Map<String, List<String>> answers = new HashMap<>();
        for (String line : ApiDescription.lines("operations.txt")) {
            String[] words = line.split(" ", -1);
            answers.put(
                    words[0] + " " + words[1],
                    Arrays.stream(words)
                            .skip(2)
                            .filter(word -> word.startsWith("2") && word.contains(":"))
                            .map(word -> word.split(":", 2)[1])
                            .toList());
        }
        return answers;
    }

    private void compare(String where, ResolvableType type, @Nullable Schema<?> given) {
        Schema<?> schema = resolved(given);
        Class<?> raw = type.resolve();
        if (raw == null || schema == null) {
            return;
        }
        if (Collection.class.isAssignableFrom(raw)) {
            compare(where, type.as(Collection.class).getGeneric(0), schema.getItems());
            return;
        }
        if (!raw.isRecord()
                || !raw.getPackageName().startsWith(ROOT)
                || isWrittenByHand(raw.getEnclosingClass())
                || schema.getProperties() == null) {
            return;
        }
        compared.add(raw.getSimpleName());
        if (!underWay.add(raw)) {
            return; // a record that holds records of its own type
        }
        Set<String> members = new TreeSet<>();
        for (RecordComponent component : raw.getRecordComponents()) {
            members.add(nameOf(component));
        }
        assertThat(schema.getProperties().keySet())
                .as("%s: members of the schema of %s", where, raw.getSimpleName())
                .containsExactlyInAnyOrderElementsOf(members);
        for (RecordComponent component : raw.getRecordComponents()) {
            compare(
                    where + " " + component.getName(),
                    ResolvableType.forType(component.getGenericType(), type),
                    schema.getProperties().get(nameOf(component)));
        }
        underWay.remove(raw);
    }

    /** The member of a component, whose own name may not be a word of Java. */
    private static String nameOf(RecordComponent component) {
        JsonProperty named = component.getAccessor().getAnnotation(JsonProperty.class);
        return named == null ? component.getName() : named.value();
    }

    /** Whether the records in a class have serializers of their own. */
    private static boolean isWrittenByHand(@Nullable Class<?> enclosing) {
        return enclosing != null
                && Arrays.stream(enclosing.getDeclaredMethods())
                        .anyMatch(method -> method.getReturnType() == JacksonModule.class);
    }

    /** The schema itself where another one is named, also where null is the alternative. */
    private @Nullable Schema<?> resolved(@Nullable Schema<?> schema) {
        if (schema == null) {
            return null;
        }
        if (schema.get$ref() != null) {
            return schemas.get(schema.get$ref().substring(schema.get$ref().lastIndexOf('/') + 1));
        }
        return schema.getAnyOf() == null ? schema : resolved(schema.getAnyOf().getFirst());
    }
}
