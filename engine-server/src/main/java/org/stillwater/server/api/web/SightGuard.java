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
import org.stillwater.core.model.HostId;
import org.stillwater.core.model.VmId;

/**
 * In front of everything that is about one VM or one host: whoever may not see it learns nothing of
 * it, whoever may only see it does not act upon it. So no endpoint below them can forget it. A path
 * may name it by its name instead of its id; the endpoint gets the id.
 */
@Configuration(proxyBeanMethods = false)
class SightGuard implements WebMvcConfigurer, HandlerInterceptor {

    private static final String VM = "/api/v1/vms/{id}";
    private static final String HOST = "/api/v1/hosts/{id}";

    private final CallerScope sight;

    SightGuard(CallerScope sight) {
        this.sight = sight;
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
                VmId vm = sight.vm(id);
                sight.check(vm, !isReading(request));
                identify(request, variables, vm.toString());
            } else if (pattern.startsWith(HOST)) {
                HostId host = sight.hostOfPath(id);
                if (isReading(request)) {
                    sight.check(host);
                }
                identify(request, variables, host.toString());
            }
        }
        return true;
    }

    /** Endpoints get the id of what the path names. */
    private static void identify(HttpServletRequest request, Map<?, ?> variables, String id) {
        Map<Object, Object> identified = new HashMap<>(variables);
        identified.put("id", id);
        request.setAttribute(HandlerMapping.URI_TEMPLATE_VARIABLES_ATTRIBUTE, identified);
    }

    private static boolean isReading(HttpServletRequest request) {
        return request.getMethod().equals("GET") || request.getMethod().equals("HEAD");
    }
}
