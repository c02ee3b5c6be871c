package org.stillwater.server.http;

import java.time.Duration;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.CacheControl;
import org.springframework.web.servlet.config.annotation.ResourceHandlerRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;
import org.springframework.web.servlet.resource.EncodedResourceResolver;

/**
 * Serves the files of the console. Their names have the hash of their content, so that a browser
 * keeps them without asking again; the build has compressed them. The page that names them is
 * served like other static files and requested every time.
 */
@Configuration(proxyBeanMethods = false)
class ConsoleFiles implements WebMvcConfigurer {

    private static final Duration KEPT = Duration.ofDays(365);

    @Override
    public void addResourceHandlers(ResourceHandlerRegistry registry) {
        registry.addResourceHandler("/console/**")
                .addResourceLocations("classpath:/static/console/")
                .setCacheControl(CacheControl.maxAge(KEPT).cachePrivate().immutable())
                .resourceChain(true)
                .addResolver(new EncodedResourceResolver());
    }
}
