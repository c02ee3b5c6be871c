package org.stillwater.server.security;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.servlet.FilterChain;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.ClassPathScanningCandidateComponentProvider;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.type.filter.AnnotationTypeFilter;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.objenesis.ObjenesisStd;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestMethod;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerMapping;
import org.stillwater.core.audit.AuditEvent;
import org.stillwater.server.settings.AdmissionSettings;
import org.stillwater.testkit.VirtualClock;

/** Every endpoint that changes something leaves an audit event: its own, or that of admission. */
class AdmissionAuditTest {

    /** Endpoints whose change has events of its own, as people know them. */
    private static final Set<String> OWN =
            Set.of(
                    "BatchController.begin",
                    "LoginPage.login",
                    "LoginPage.logout",
                    "MeController.change",
                    "SsoController.revoke",
                    "SsoController.token",
                    "TokenController.add",
                    "TokenController.revoke",
                    "UserController.add",
                    "UserController.change",
                    "UserController.remove",
                    "VmActionController.act",
                    "VmActionController.ticket",
                    "VmDefinitionController.add",
                    "VmDefinitionController.change",
                    "VmDefinitionController.remove",
                    "XapiPoolController.add",
                    "XapiPoolController.change",
                    "XapiPoolController.remove");

    /** Endpoints that take a method that could change something, and change nothing. */
    private static final Set<String> NOTHING =
            Set.of(
                    "FallbackErrors.error",
                    "FenceAgentController.test",
                    "HostActionController.refresh",
                    "HostTestController.test",
                    "SsoController.noProvider",
                    "SsoController.tokenByNegotiation",
                    "SsoController.tokenInfo",
                    "XapiPoolController.test");

    private final List<String> told = new ArrayList<>();
    private final Admission admission =
            new Admission(
                    new AdmissionSettings(64, 1_000, Duration.ofSeconds(1), 8_192, 0, 1),
                    new SecurityAudit((event, details) -> told.add(event + " " + details)),
                    new VirtualClock());

    private static Map<String, Method> changing() throws Exception {
        ClassPathScanningCandidateComponentProvider scan =
                new ClassPathScanningCandidateComponentProvider(false);
        scan.addIncludeFilter(new AnnotationTypeFilter(RestController.class));
        Map<String, Method> all = new TreeMap<>();
        for (var found : scan.findCandidateComponents("org.stillwater.server")) {
            Class<?> type = Class.forName(found.getBeanClassName());
            for (Method method : type.getDeclaredMethods()) {
                RequestMapping mapping =
                        AnnotatedElementUtils.findMergedAnnotation(method, RequestMapping.class);
                if (mapping != null
                        && (mapping.method().length == 0
                                || Set.of(mapping.method()).stream()
                                        .anyMatch(each ->
                                                each != RequestMethod.GET
                                                        && each != RequestMethod.HEAD))) {
                    all.put(type.getSimpleName() + "." + method.getName(), method);
                }
            }
        }
        return all;
    }

    private List<String> toldOf(Method method, String path, int status) throws Exception {
        told.clear();
        MockHttpServletRequest request = new MockHttpServletRequest("POST", path);
        MockHttpServletResponse response = new MockHttpServletResponse();
        Object bean = new ObjenesisStd().newInstance(method.getDeclaringClass());
        FilterChain chain =
                (asked, _) -> {
                    asked.setAttribute(
                            HandlerMapping.BEST_MATCHING_HANDLER_ATTRIBUTE,
                            new HandlerMethod(bean, method));
                    response.setStatus(status);
                };
        admission.doFilter(request, response, chain);
        return List.copyOf(told);
    }

    @Test
    void everyChangeIsAuditedByItselfOrByAdmission() throws Exception {
        Map<String, Method> all = changing();
        assertThat(all).containsKeys("PoolController.release", "OperationController.cancel");
        Set<String> own = new TreeSet<>();
        Set<String> nothing = new TreeSet<>();
        for (Map.Entry<String, Method> each : all.entrySet()) {
            List<String> events = toldOf(each.getValue(), "/api/v1/x/vms/y", 200);
            AuditedAs marked = each.getValue().getAnnotation(AuditedAs.class);
            if (marked == null) {
                assertThat(events).as(each.getKey()).hasSize(1);
                assertThat(events.getFirst()).startsWith(AuditEvent.CHANGE_ASKED.name());
            } else {
                assertThat(events).as(each.getKey()).isEmpty();
                (marked.value().length == 0 ? nothing : own).add(each.getKey());
            }
        }
        assertThat(own).isEqualTo(new TreeSet<>(OWN));
        assertThat(nothing).isEqualTo(new TreeSet<>(NOTHING));
    }

    @Test
    void theReleaseOfAVmOfAPoolIsAudited() throws Exception {
        Method release = changing().get("PoolController.release");
        assertThat(toldOf(release, "/api/v1/pools/1/vms/2/release", 200))
                .singleElement()
                .asString()
                .contains("POST /api/v1/pools/1/vms/2/release");
        assertThat(toldOf(release, "/api/v1/pools/1/vms/2/release", 409)).isEmpty();
    }
}
