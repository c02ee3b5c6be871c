package org.stillwater.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaConstructor;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/**
 * A constructor takes five collaborators at most; a record that passes collaborators on takes
 * twelve. A collaborator is an object that acts: values (records, enums, numbers, texts,
 * collections, times) do not count, nor do the clock, the meters and the mapper of JSON, which
 * nearly all take.
 */
class ConstructorWidthsTest {

    private static final int MOST = 5;
    private static final int MOST_OF_A_RECORD = 12;

    /** Values that are no records, the clock, the meters, and the mapper of JSON. */
    private static final Set<String> UNCOUNTED =
            Set.of(
                    "io.micrometer.core.instrument.MeterRegistry",
                    "java.net.InetSocketAddress",
                    "java.net.URI",
                    "java.nio.file.Path",
                    "java.util.BitSet",
                    "java.util.Collection",
                    "java.util.List",
                    "java.util.Locale",
                    "java.util.Map",
                    "java.util.NavigableMap",
                    "java.util.Optional",
                    "java.util.OptionalDouble",
                    "java.util.OptionalInt",
                    "java.util.OptionalLong",
                    "java.util.Set",
                    "java.util.SortedMap",
                    "java.util.UUID",
                    "org.stillwater.core.time.EngineClock",
                    "org.stillwater.monitoring.observe.MonitoringMeters",
                    "tools.jackson.databind.json.JsonMapper");

    @Test
    void noConstructorTakesMoreCollaborators() {
        Map<String, Integer> wider = new TreeMap<>();
        int examined = 0;
        for (JavaClass each : ProductClasses.all()) {
            if (!each.isEnum() && !each.isAnonymousClass()) {
                for (JavaConstructor constructor : each.getConstructors()) {
                    examined++;
                    int width = collaborators(constructor);
                    if (width > (each.isRecord() ? MOST_OF_A_RECORD : MOST)) {
                        wider.merge(each.getName(), width, Math::max);
                    }
                }
            }
        }
        assertThat(wider).isEmpty();
        assertThat(examined).isGreaterThan(2_000);
    }

    private static int collaborators(JavaConstructor constructor) {
        return (int)
                constructor.getRawParameterTypes().stream()
                        .filter(ConstructorWidthsTest::acts)
                        .count();
    }

    private static boolean acts(JavaClass type) {
        String name = type.getName();
        return !type.isPrimitive()
                && !type.isArray()
                && !type.isEnum()
                && !type.isRecord()
                && !name.startsWith("java.lang.")
                && !name.startsWith("java.math.")
                && !name.startsWith("java.time.")
                && !UNCOUNTED.contains(name);
    }
}
