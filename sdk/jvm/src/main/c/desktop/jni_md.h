/* What <jni.h> of a JDK asks of the machine, for the builds of every desktop system from one. */

#ifndef POCKETINTENT_JNI_MD_H
#define POCKETINTENT_JNI_MD_H

#ifdef _WIN32
#define JNIEXPORT __declspec(dllexport)
#define JNICALL __stdcall
#else
#define JNIEXPORT __attribute__((visibility("default")))
#define JNICALL
#endif
#define JNIIMPORT

typedef int jint;
typedef long long jlong;
typedef signed char jbyte;

#endif
