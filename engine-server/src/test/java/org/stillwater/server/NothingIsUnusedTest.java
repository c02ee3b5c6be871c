package org.stillwater.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaConstructorCall;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.domain.JavaModifier;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.stereotype.Component;
import org.stillwater.server.settings.IfCommandsAreEnabled;

/**
 * Every setting has a reader in the code that runs, and every class of the engine a user. A setting
 * is followed through the records that the wiring makes of it: one that is copied from record to
 * record and then read by no code has no effect, which this shows.
 */
class NothingIsUnusedTest {

    private static final String ENGINE = "org.stillwater.";
    private static final String WIRING = "org.stillwater.server.wiring";

    /** Settings that are read otherwise than by their accessor, and the property by which. */
    private static final Map<String, String> READ_AS_PROPERTY =
            Map.of(
                    "CommandsSettings.enabled", "stillwater.commands.enabled",
                    "OtlpSettings.enabled", "stillwater.otlp.enabled",
                    "RelaySettings.enabled", "stillwater.relay.enabled",
                    "OtlpTraceSettings.enabled", "stillwater.otlp-traces.enabled",
                    "SshFenceSettings.enabled", "stillwater.fencing.ssh.enabled");

    /** Classes that no class of the engine names, and their users. */
    private static final Map<String, String> USED_FROM_OUTSIDE =
            Map.of(
                    "org.stillwater.monitoring.SteppedEngine",
                    "simulations, which step the real engine",
                    "org.stillwater.vdsm.client.RecordedConnector",
                    "./stillwater replay, which runs recordings through this build",
                    "org.stillwater.vdsm.client.recording.RecordingReader",
                    "./stillwater replay, too",
                    "org.stillwater.vdsm.client.VmListText",
                    "simulated relays, which read what a host would report",
                    "org.stillwater.server.wiring.FailureExplanations",
                    "Spring Boot, by spring.factories",
                    "org.stillwater.server.wiring.UnknownSettings",
                    "Spring Boot, by spring.factories",
                    "org.stillwater.server.systemd.JournalLog",
                    "Spring Boot, by spring.factories");

    private static final JavaClasses CLASSES =
            ProductClasses.in(
                    "org.stillwater.core..",
                    "org.stillwater.monitoring..",
                    "org.stillwater.command..",
                    "org.stillwater.ovirt..",
                    "org.stillwater.vdsm..",
                    "org.stillwater.dal..",
                    "org.stillwater.relay.intake..",
                    "org.stillwater.server..");

    /** Uses by simulators and benchmarks do not count. */
    private static boolean isOfTheEngine(JavaClass user) {
        return CLASSES.contain(user.getName());
    }

    /** Records bound to properties, and the records made of their members. */
    private static Set<JavaClass> settings() {
        Deque<JavaClass> open = new ArrayDeque<>();
        for (JavaClass each : CLASSES) {
            if (each.isAnnotatedWith(ConfigurationProperties.class)) {
                open.add(each);
            }
            if (each.getPackageName().equals(WIRING)) {
                for (JavaConstructorCall call : each.getConstructorCallsFromSelf()) {
                    if (isOurRecord(call.getTargetOwner())) {
                        open.add(call.getTargetOwner());
                    }
                }
            }
        }
        Set<JavaClass> all = new TreeSet<>(java.util.Comparator.comparing(JavaClass::getName));
        while (!open.isEmpty()) {
            JavaClass next = open.remove();
            if (all.add(next)) {
                for (JavaField field : next.getFields()) {
                    JavaClass type = field.getRawType();
                    if (!isStatic(field) && isOurRecord(type) && isOfSettings(type)) {
                        open.add(type);
                    }
                }
            }
        }
        return all;
    }

    private static boolean isOurRecord(JavaClass type) {
        return type.getName().startsWith(ENGINE) && type.isRecord();
    }

    /** Records that are values of the domain, such as identities, are no settings. */
    private static boolean isOfSettings(JavaClass type) {
        String name = type.getSimpleName();
        return name.endsWith("Settings")
                || name.endsWith("Limits")
                || name.endsWith("Policy")
                || name.endsWith("Timeouts")
                || type.getName().contains("Settings$");
    }

    private static boolean isStatic(JavaField field) {
        return field.getModifiers().contains(JavaModifier.STATIC);
    }

    @Test
    void everySettingHasAReader() {
        Set<JavaClass> settings = settings();
        assertThat(settings).as("records of settings").hasSizeGreaterThan(50);
        Set<String> unread = new TreeSet<>();
        for (JavaClass each : settings) {
            for (JavaField component : each.getFields()) {
                String name = each.getSimpleName() + "." + component.getName();
                if (!isStatic(component)
                        && !READ_AS_PROPERTY.containsKey(name)
                        && !isRead(each, component.getName())) {
                    unread.add(name);
                }
            }
        }
        assertThat(unread).as("settings that no code reads, so that they have no effect").isEmpty();
    }

    /** By its accessor, or by a method of the record that makes something of it. */
    private static boolean isRead(JavaClass settings, String component) {
        return isCalledFromOutside(settings, settings.getMethod(component))
                || settings.getField(component).getAccessesToSelf().stream()
                        .map(access -> access.getOrigin())
                        .filter(JavaMethod.class::isInstance)
                        .map(JavaMethod.class::cast)
                        .filter(method -> makesSomethingOf(settings, method))
                        .anyMatch(method -> isCalledFromOutside(settings, method));
    }

    private static boolean makesSomethingOf(JavaClass settings, JavaMethod method) {
        return !method.getRawReturnType().equals(settings)
                && !List.of("equals", "hashCode", "toString").contains(method.getName());
    }

    private static boolean isCalledFromOutside(JavaClass settings, JavaMethod method) {
        return method.getAccessesToSelf().stream()
                .filter(access -> isOfTheEngine(access.getOriginOwner()))
                .filter(access -> !isWithin(access.getOriginOwner(), settings))
                .anyMatch(access -> isUsed(access.getOrigin()));
    }

    /** Whether other code leads to this: a setting that an unused method reads has no effect. */
    private static boolean isUsed(JavaCodeUnit code) {
        return !(code instanceof JavaMethod method)
                || method.getAccessesToSelf().stream()
                        .anyMatch(access ->
                                !access.getOrigin().equals(method)
                                        && isOfTheEngine(access.getOriginOwner()))
                || method.getAnnotations().stream()
                        .anyMatch(each -> each.getRawType().getName().startsWith("org.spring"))
                || isOfASupertype(method);
    }

    private static boolean isOfASupertype(JavaMethod method) {
        Set<JavaClass> supertypes = new HashSet<>(method.getOwner().getAllRawSuperclasses());
        supertypes.addAll(method.getOwner().getAllRawInterfaces());
        return supertypes.stream()
                .flatMap(type -> type.getMethods().stream())
                .anyMatch(each ->
                        each.getName().equals(method.getName())
                                && each.getRawParameterTypes().size()
                                        == method.getRawParameterTypes().size());
    }

    private static boolean isWithin(JavaClass reader, JavaClass settings) {
        return reader.getName().equals(settings.getName())
                || reader.getName().startsWith(settings.getName() + "$");
    }

    @Test
    void propertiesAreReallyRead() {
        Set<String> conditions = new TreeSet<>();
        for (JavaClass each : CLASSES) {
            each.tryGetAnnotationOfType(ConditionalOnProperty.class)
                    .ifPresent(condition -> {
                        conditions.addAll(List.of(condition.name()));
                        conditions.addAll(List.of(condition.value()));
                    });
            for (JavaMethod method : each.getMethods()) {
                method.tryGetAnnotationOfType(ConditionalOnProperty.class)
                        .ifPresent(condition -> conditions.addAll(List.of(condition.value())));
            }
        }
        assertThat(conditions).containsAll(READ_AS_PROPERTY.values());
        assertThat(
                        CLASSES.get(WIRING + ".CommandConfiguration")
                                .isAnnotatedWith(IfCommandsAreEnabled.class))
                .isTrue();
    }

    @Test
    void everyClassHasAUser() {
        Set<String> unused = new TreeSet<>();
        for (JavaClass each : CLASSES) {
            boolean top = each.getEnclosingClass().isEmpty();
            if (top && !isStarted(each) && !holdsConstants(each) && !hasUser(each)) {
                unused.add(each.getName());
            }
        }
        assertThat(unused)
                .as("classes of the engine that only tests use")
                .containsExactlyInAnyOrderElementsOf(USED_FROM_OUTSIDE.keySet());
    }

    /** The compiler copies constants to where they are used. */
    private static boolean holdsConstants(JavaClass type) {
        return type.getMethods().isEmpty()
                && !type.getFields().isEmpty()
                && type.getFields().stream().allMatch(NothingIsUnusedTest::isStatic);
    }

    private static boolean hasUser(JavaClass type) {
        return type.getDirectDependenciesToSelf().stream()
                .map(dependency -> dependency.getOriginClass())
                .filter(NothingIsUnusedTest::isOfTheEngine)
                .map(JavaClass::getName)
                .anyMatch(user ->
                        !user.equals(type.getName()) && !user.startsWith(type.getName() + "$"));
    }

    /** Spring, Java or people name it. */
    private static boolean isStarted(JavaClass type) {
        return type.getSimpleName().equals("package-info")
                || type.isAnnotation()
                || type.isMetaAnnotatedWith(Component.class)
                || type.isAnnotatedWith(SpringBootApplication.class)
                || type.isAnnotatedWith(ConfigurationProperties.class)
                || type.tryGetMethod("main", String[].class).isPresent()
                || type.getAllRawInterfaces().stream().anyMatch(NothingIsUnusedTest::isOfSpring)
                || List.of("org.stillwater.server.SystemClock").contains(type.getName());
    }

    /** Named in {@code spring.factories} by the interface. */
    private static boolean isOfSpring(JavaClass type) {
        return type.getName().startsWith("org.springframework.boot.");
    }
}
