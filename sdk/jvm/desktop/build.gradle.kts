// The library for desktop JVMs. Where its native library lies, java.library.path says; the jar of
// tools/build.py has it inside.
plugins { id("org.jetbrains.kotlin.jvm") }

kotlin.sourceSets.named("main") {
    kotlin.srcDir("../src/main/kotlin")
    kotlin.exclude("**/AndroidAssets.kt")
}

dependencies { compileOnly("org.jetbrains.kotlinx:kotlinx-coroutines-core:1.10.2") }
