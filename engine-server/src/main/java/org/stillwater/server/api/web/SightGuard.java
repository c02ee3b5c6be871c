package org.stillwater.server.api.web;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.Map;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.HandlerMapping;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/**
 * In front of everything that is about one VM or one host: whoever may not see it learns nothing of
 * it, whoever may only see it does not act upon it. So no endpoint below them can forget it.
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
                sight.check(Ids.vm(id), !isReading(request));
            } else if (pattern.startsWith(HOST) && isReading(request)) {
                sight.check(Ids.host(id));
            }
        }
        return true;
    }

    private static boolean isReading(HttpServletRequest request) {
        return request.getMethod().equals("GET") || request.getMethod().equals("HEAD");
    }
}
