package org.stillwater.server.api.web;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.HashMap;
import java.util.Map;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.HandlerMapping;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;

/**
 * Checks every request about one VM or one host before its endpoint: a caller without a role on the
 * object gets 404, a reader cannot act on it. No endpoint can forget the check. A path may name the
 * object by its name instead of its id; the endpoint gets the id.
 */
@Configuration(proxyBeanMethods = false)
class VisibilityInterceptor implements WebMvcConfigurer, HandlerInterceptor {

    private static final String VM = "/api/v1/vms/{id}";
    private static final String HOST = "/api/v1/hosts/{id}";

    private final CallerScope scope;

    VisibilityInterceptor(CallerScope scope) {
        this.scope = scope;
    }

    @Override
    public void addInterceptors(InterceptorRegistry registry) {
        registry.addInterceptor(this).addPathPatterns("/api/v1/**");
    }

    @Override
    public boolean preHandle(
            HttpServletRequest request, HttpServletResponse response, Object handler) {
        if (request.getAttribute(HandlerMapping.BEST_MATCHING_PATTERN_ATTRIBUTE)
                        instanceof String pattern
                && request.getAttribute(HandlerMapping.URI_TEMPLATE_VARIABLES_ATTRIBUTE)
                        instanceof Map<?, ?> variables
                && variables.get("id") instanceof String id) {
            if (pattern.startsWith(VM)) {
                VmId vm = scope.vm(id);
                scope.check(vm, !isReading(request));
                identify(request, variables, vm.toString());
            } else if (pattern.startsWith(HOST)) {
                HostId host = scope.hostOfPath(id);
                if (isReading(request)) {
                    scope.check(host);
                }
                identify(request, variables, host.toString());
            }
        }
        return true;
    }

    /** Endpoints get the id of the object that the path names. */
    private static void identify(HttpServletRequest request, Map<?, ?> variables, String id) {
        Map<Object, Object> identified = new HashMap<>(variables);
        identified.put("id", id);
        request.setAttribute(HandlerMapping.URI_TEMPLATE_VARIABLES_ATTRIBUTE, identified);
    }

    private static boolean isReading(HttpServletRequest request) {
        return request.getMethod().equals("GET") || request.getMethod().equals("HEAD");
    }
}
