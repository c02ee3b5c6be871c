package org.stillwater.server.http;

import org.springframework.context.annotation.Configuration;
import org.springframework.web.servlet.config.annotation.ViewControllerRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/**
 * Redirects to the first page of the documentation. The build makes its files, which are served
 * like other static files.
 */
@Configuration(proxyBeanMethods = false)
class DocumentationFiles implements WebMvcConfigurer {

    private static final String FIRST = "/docs/index.html";

    @Override
    public void addViewControllers(ViewControllerRegistry registry) {
        registry.addRedirectViewController("/docs", FIRST);
        registry.addRedirectViewController("/docs/", FIRST);
    }
}
