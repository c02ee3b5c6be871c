package org.stillwater.server.api.web;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.HttpStatus;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.HandlerMapping;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.monitoring.Attention;
import org.stillwater.monitoring.FleetReader;
import org.stillwater.server.settings.CycleSettings;

/**
 * Announces which VM or host a client reads, where intervals of hosts adapt: each successful GET
 * about one of them, of any detail. Elsewhere it is not part of any request.
 */
@Configuration(proxyBeanMethods = false)
class AttentionInterceptor implements WebMvcConfigurer, HandlerInterceptor {

    private static final String VM = "/api/v1/vms/{id}";
    private static final String HOST = "/api/v1/hosts/{id}";

    private final Attention attention;
    private final boolean adaptive;

    AttentionInterceptor(FleetReader fleet, CycleSettings cycle) {
        this.attention = fleet.attention();
        this.adaptive = cycle.adaptive();
    }

    @Override
    public void addInterceptors(InterceptorRegistry registry) {
        if (adaptive) {
            registry.addInterceptor(this).addPathPatterns("/api/v1/vms/*/**", "/api/v1/hosts/*/**");
        }
    }

    @Override
    public void afterCompletion(
            HttpServletRequest request,
            HttpServletResponse response,
            Object handler,
            @Nullable Exception exception) {
        if (exception == null
                && request.getMethod().equals("GET")
                && response.getStatus() < HttpStatus.BAD_REQUEST.value()
                && request.getAttribute(HandlerMapping.BEST_MATCHING_PATTERN_ATTRIBUTE)
                        instanceof String pattern
                && request.getAttribute(HandlerMapping.URI_TEMPLATE_VARIABLES_ATTRIBUTE)
                        instanceof Map<?, ?> variables
                && variables.get("id") instanceof String id) {
            announce(pattern, id);
        }
    }

    /** The path names the object by its id: {@link VisibilityInterceptor} saw to that. */
    private void announce(String pattern, String id) {
        try {
            if (pattern.startsWith(VM)) {
                attention.viewed(VmId.parse(id));
            } else if (pattern.startsWith(HOST)) {
                attention.viewed(HostId.parse(id));
            }
        } catch (IllegalArgumentException _) {
            // no object that is read: the path is of something else
        }
    }
}
